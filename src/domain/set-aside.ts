/** Why a worktree is handed to nobody, and how often it was tried in vain to put it right. */
export type SetAside = { readonly reason: string; readonly failures: number };

const MAX_FAILURES = 5;

/** Whether orange leaves it to a person: it has tried often enough. */
export function isGivenUp({ failures }: SetAside): boolean {
  return failures >= MAX_FAILURES;
}
