/** A text as part of a sentence that has its own full stop. */
export function withoutStop(text: string): string {
  return text.replace(/[.\s]+$/, '');
}
