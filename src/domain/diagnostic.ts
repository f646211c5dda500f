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

/** The file of a task says nothing, or is gone from its folder: nothing there can be written over. */
export function isAboutLoss({ code }: Diagnostic): boolean {
  return code === 'ORA005' || code === 'ORA006';
}

/** A move is made, and cannot be told in the history: nothing else is done about the task until it is. */
export function isAboutLateHistory({ code }: Diagnostic): boolean {
  return code === 'ORA092';
}

/** A task whose history cannot be read is moved by nothing until it has been taken in again. */
export function isAboutUnreadHistory({ code }: Diagnostic): boolean {
  return code === 'ORA062' || code === 'ORA091';
}

/** Whether a task's file is not what is at fault: reading that again changes nothing. */
export function isAboutHistory(diagnostic: Diagnostic): boolean {
  return isAboutUnreadHistory(diagnostic) || isAboutLateHistory(diagnostic);
}

/** Whether a task's own file is what cannot be read. */
export function isAboutFile(diagnostic: Diagnostic): boolean {
  return !isFault(diagnostic) && !isAboutHistory(diagnostic);
}
