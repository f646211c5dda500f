/** One finding about a file: what is wrong, where, and what to do about it. */
export type Diagnostic = {
  /** Stable code such as `ORA012`. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly fix: string;
};

/** orange itself fails at the task: nothing is wrong with the file. */
export function isFault({ code }: Diagnostic): boolean {
  return code === 'ORA095';
}

/** A task whose history cannot be read is moved by nothing until it has been taken in again. */
export function isAboutUnreadHistory({ code }: Diagnostic): boolean {
  return code === 'ORA062' || code === 'ORA091';
}
