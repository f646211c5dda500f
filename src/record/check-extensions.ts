import type { Diagnostic } from '../domain/diagnostic.js';
import { GATE_MODES, PRIORITIES } from '../domain/extensions.js';
import { warningAt } from './diagnostic-codes.js';
import type { FrontmatterEntry } from './frontmatter-entry.js';

const WORDS: Readonly<Record<string, readonly string[]>> = {
  priority: [...PRIORITIES, 'medium'],
  queue: ['active', 'backlog'],
  category: ['feature', 'bug', 'refactor', 'chore', 'docs', 'test'],
  weight: ['trivial', 'small', 'medium', 'large', 'greenfield'],
};
const LISTS = new Set(['tags', 'blocked_by', 'related_to', 'touching']);

/** Warns about known extension keys whose value will be read as the default. */
export function checkExtensions(
  entries: readonly FrontmatterEntry[],
  file: string,
): readonly Diagnostic[] {
  return entries.flatMap((entry) => {
    const problem = problemOf(entry);
    if (problem === null) return [];
    return [warningAt('ORA037', { file, line: entry.line, ...problem })];
  });
}

function problemOf(
  entry: FrontmatterEntry,
): { readonly message: string; readonly fix: string } | null {
  const { key, value } = entry;
  if (value === null) return null;
  if (key === 'gates') return gatesProblem(entry);
  if (LISTS.has(key)) {
    const isList = typeof value === 'string' || Array.isArray(value);
    return isList ? null : { message: `${key} is not a list`, fix: `write \`${key}: [one, two]\`` };
  }
  const words = Object.hasOwn(WORDS, key) ? WORDS[key] : undefined;
  if (words === undefined || (typeof value === 'string' && words.includes(value))) return null;
  return { message: `${key} has an unknown value`, fix: `use one of ${words.join(', ')}` };
}

function gatesProblem(
  entry: FrontmatterEntry,
): { readonly message: string; readonly fix: string } | null {
  const { value } = entry;
  const fix = `write \`gates: { plan: human }\`, with ${GATE_MODES.join(', ')}`;
  if (value === null || typeof value === 'string' || Array.isArray(value)) {
    return { message: 'gates is not a map of gate to mode', fix };
  }
  const isWrong = Object.values(value).some(
    (mode) => typeof mode !== 'string' || !(GATE_MODES as readonly string[]).includes(mode),
  );
  return isWrong ? { message: 'a gate has an unknown mode', fix } : null;
}
