/** What was thrown by mistake, with where it came from, as text for a log. */
export function describeBug(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
