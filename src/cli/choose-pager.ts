import { textWidth } from '../domain/clean-text.js';
import type { Environment } from './command-context.js';

/** A program that shows long text, with its complete environment. */
export type Pager = {
  readonly program: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/**
 * The person's pager as git finds it: GIT_PAGER, PAGER, else less. What they have set is a command
 * line of theirs. Null: text is printed as it is, on a dumb terminal and for an agent always.
 */
export function choosePager(env: Environment): Pager | null {
  const line = env['GIT_PAGER'] ?? env['PAGER'];
  const isAgent = (env['ORANGE_ROLE'] ?? '') !== '';
  if (isAgent || env['TERM'] === 'dumb' || line?.trim() === '' || line === 'cat') return null;
  const given = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  // As git has them: colours shown, nothing cleared, gone by itself if all fits.
  const wishes = { LESS: 'FRX', LV: '-c', ...Object.fromEntries(given) };
  return line === undefined
    ? { program: 'less', argv: [], env: wishes }
    : { program: '/bin/sh', argv: ['-c', line], env: wishes };
}

/** Whether printed text would scroll its beginning away. */
export function exceedsScreen(
  text: string,
  screen: { readonly rows: number; readonly columns: number },
): boolean {
  // A pseudo-terminal that nobody sized says 0.
  const { rows, columns } = { rows: screen.rows || 24, columns: screen.columns || 80 };
  let used = 0;
  for (const line of text.split('\n')) {
    used += Math.max(1, Math.ceil(textWidth(line.replace(COLOUR, '')) / columns));
    if (used >= rows) return true;
  }
  return false;
}

// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001b\[\d+m/g;
