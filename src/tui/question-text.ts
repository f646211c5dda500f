import type { OpenQuestion } from '../domain/section.js';

/** An open question as it is shown, with the number by which it is answered. */
export function questionText({ number, text }: OpenQuestion): string {
  return `${number}. ${text}`;
}
