import { isCollection, isMap, isNode, isPair, isScalar, isSeq, type Pair, type Scalar } from 'yaml';
import type { FrontmatterValue } from '../domain/task.js';

const NULL_WORDS = new Set(['', '~', 'null', 'Null', 'NULL']);

/** The one key that would change an object's prototype when somebody assigns it. */
export const RESERVED_KEY = '__proto__';

/** Reads a failsafe node: texts, lists and maps; null only where it stands unquoted. */
export function valueOf(node: unknown): FrontmatterValue {
  if (isScalar(node)) {
    const text = textOf(node);
    return node.type === 'PLAIN' && NULL_WORDS.has(text) ? null : text;
  }
  if (isSeq(node)) return node.items.map(valueOf);
  if (!isMap(node)) return null;
  const value: Record<string, FrontmatterValue> = {};
  for (const pair of node.items) {
    const key = keyOf(pair);
    if (key !== null && key !== RESERVED_KEY) value[key] = valueOf(pair.value);
  }
  return value;
}

/** A map's key as text, or null when it is itself a list or map. */
export function keyOf(pair: Pair): string | null {
  return isScalar(pair.key) ? textOf(pair.key) : null;
}

/** Where a node begins, not counting tags before it; 0 for one that was never in a text. */
export function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Where a node's last character ends, not counting comments after it. */
export function endOf(node: unknown): number {
  if (isCollection(node) && node.flow !== true && node.items.length > 0) {
    const last: unknown = node.items.at(-1);
    return isPair(last) ? Math.max(endOf(last.key), endOf(last.value)) : endOf(last);
  }
  return isNode(node) ? (node.range?.[1] ?? 0) : 0;
}

// The failsafe schema makes every scalar a text.
function textOf(scalar: Scalar): string {
  return typeof scalar.value === 'string' ? scalar.value : '';
}

/** The 1-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}
