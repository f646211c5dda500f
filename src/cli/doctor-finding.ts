/** One line of `orange doctor`. */
export type DoctorFinding = {
  readonly level: 'ok' | 'warn' | 'error';
  /** What was looked at; stable across versions. */
  readonly check: string;
  readonly message: string;
  readonly remedy: string | null;
};

export function ok(check: string, message: string): DoctorFinding {
  return { level: 'ok', check, message, remedy: null };
}

export function warn(check: string, message: string, remedy: string | null): DoctorFinding {
  return { level: 'warn', check, message, remedy };
}

export function wrong(check: string, message: string, remedy: string | null): DoctorFinding {
  return { level: 'error', check, message, remedy };
}
