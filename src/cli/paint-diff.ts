import type { DiffForm } from '../domain/branch-diff.js';
import { revealText } from '../domain/clean-text.js';
import { paint } from './paint.js';

/**
 * A diff as git wrote it, for a person: coloured here, with everything visible that its files hide
 * from a reader (escape sequences, text that runs backwards, bytes that are no text).
 */
export function paintDiff(text: string, form: DiffForm): string {
  if (form === 'names') return reveal(text);
  if (form === 'stat' || text.startsWith('#')) return text.split('\n').map(paintStat).join('\n');
  let isInHunk = false;
  const lines = text.split('\n').map((line) => {
    // A line of a file begins with a space, a sign or a backslash, so this cannot be one.
    if (line.startsWith('diff --git ')) isInHunk = false;
    if (line.startsWith('@@')) isInHunk = true;
    return isInHunk ? paintHunk(line) : paint('bold', reveal(line));
  });
  return lines.join('\n');
}

function paintHunk(line: string): string {
  if (line.startsWith('+')) return paint('green', revealText(line));
  if (line.startsWith('-')) return paint('red', revealText(line));
  if (!line.startsWith('@@')) return reveal(line);
  const [, place = '', context = ''] = /^(@@.*? @@)(.*)$/.exec(reveal(line)) ?? [];
  return `${paint('cyan', place)}${context}`;
}

function paintStat(line: string): string {
  const [, name, plus = '', minus = ''] = /^(.*\| +\d+ ?)(\+*)(-*)$/.exec(reveal(line)) ?? [];
  if (name === undefined) return reveal(line);
  const more = plus === '' ? '' : paint('green', plus);
  return `${name}${more}${minus === '' ? '' : paint('red', minus)}`;
}

/** The end of a line on Windows says nothing where nothing changed. */
function reveal(line: string): string {
  return revealText(line.replace(/\r$/, ''));
}
