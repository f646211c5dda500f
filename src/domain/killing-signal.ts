/** The signal that ended a program, told by its exit code; null when it ended by itself. */
export function killingSignal(exitCode: number | null): string | null {
  return exitCode === null ? null : (SIGNALS[exitCode - 128] ?? null);
}

/** Those that no program makes of itself as an exit code, as git does 128 and 129. */
const SIGNALS: Readonly<Record<number, string>> = {
  6: 'SIGABRT',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
};
