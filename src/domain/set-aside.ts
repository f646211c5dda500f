/** Why a worktree is handed to nobody, and how often it was tried in vain to put it right. */
export type SetAside = {
  readonly reason: string;
  readonly failures: number;
  /** Whether only the machine stood in the way, and nobody has seen to it since. */
  readonly isHindered?: boolean;
};

const MAX_FAILURES = 5;

/** Whether orange leaves it to a person: it has tried often enough. */
export function isGivenUp({ failures }: SetAside): boolean {
  return failures >= MAX_FAILURES;
}
