import type { Finding } from '../domain/finding.js';

/** One line of `orange doctor`. */
export type DoctorFinding = {
  readonly level: 'ok' | 'warn' | 'error';
  /** What was looked at; stable across versions. */
  readonly check: string;
  readonly message: string;
  readonly remedy: string | null;
} & Partial<Pick<Finding, 'fixable' | 'task_id' | 'session' | 'path' | 'pids'>>;

/** Something out of place, as a line of the doctor: its class is what was looked at. */
export function fromFinding(finding: Finding): DoctorFinding {
  const { class: check, severity: level, message, remedy, ...subject } = finding;
  return { level, check, message, remedy, ...subject };
}

export function ok(check: string, message: string): DoctorFinding {
  return { level: 'ok', check, message, remedy: null };
}

export function warn(check: string, message: string, remedy: string | null): DoctorFinding {
  return { level: 'warn', check, message, remedy };
}

export function wrong(check: string, message: string, remedy: string | null): DoctorFinding {
  return { level: 'error', check, message, remedy };
}
