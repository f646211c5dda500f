/** A reason to wait with names instead of ids where it tells of other tasks. */
export function nameInReason(reason: string, nameOf: (id: string) => string): string {
  return reason.replace(
    /(blocked by|waits for|itself:|→) ([\w-]+)/gu,
    (_all, words: string, id: string) => `${words} ${nameOf(id)}`,
  );
}
