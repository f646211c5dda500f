import type { Finding } from '../domain/finding.js';

type Subject = Pick<Finding, 'class' | 'message' | 'remedy' | 'fixable'> & Partial<Finding>;

/** A finding with everything that was not named left open; a warning unless said otherwise. */
export function makeFinding(subject: Subject): Finding {
  return { severity: 'warn', task_id: null, session: null, path: null, pids: [], ...subject };
}

/** How a task is called in a sentence. */
export function nameOf(fields: { readonly project: string; readonly branch: string }): string {
  return `${fields.project}/${fields.branch}`;
}
