/** A value as JSON that may go to a terminal. */
export function jsonText(value: unknown, indent: number): string {
  return JSON.stringify(value, null, indent).replace(UNPRINTABLE, escapeCharacter);
}

// JSON leaves C1 controls and bidi overrides as they are; a terminal would obey them.
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function escapeCharacter(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}
