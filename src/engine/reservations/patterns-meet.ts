import type { Pattern } from './scope.js';

type Segments = readonly string[];

/** Whether some path belongs to both. Of two plain paths, one lies in the other or is the same. */
export function patternsMeet(one: Pattern, other: Pattern): boolean {
  if (!one.isPlain || !other.isPlain) return segmentsMeet(one.segments, other.segments);
  const shared = Math.min(one.literal, other.literal);
  return one.segments.slice(0, shared).every((name, at) => name === other.segments[at]);
}

function segmentsMeet(one: Segments, other: Segments): boolean {
  const failed = new Set<number>();
  const meet = (i: number, j: number): boolean => {
    const key = i * (other.length + 1) + j;
    if (failed.has(key)) return false;
    const isMet = meetFrom(i, j);
    if (!isMet) failed.add(key);
    return isMet;
  };
  const meetFrom = (i: number, j: number): boolean => {
    const [left, right] = [one[i], other[j]];
    if (left === undefined && right === undefined) return true;
    if (left === ANY) return meet(i + 1, j) || (right !== undefined && meet(i, j + 1));
    if (right === ANY) return meet(i, j + 1) || (left !== undefined && meet(i + 1, j));
    if (left === undefined || right === undefined) return false;
    return namesMeet(left, right) && meet(i + 1, j + 1);
  };
  return meet(0, 0);
}

const ANY = '**';

function namesMeet(one: string, other: string): boolean {
  if (one === other) return true;
  const isLiteral = !/[*?]/.test(one) && !/[*?]/.test(other);
  return !isLiteral && wildcardsMeet(one, other);
}

/** Row by row, which beginnings of the two names can be the same. */
function wildcardsMeet(one: string, other: string): boolean {
  let row = emptyRow(other);
  for (const left of one) {
    const next = [left === '*' && row[0] === true];
    for (let j = 1; j <= other.length; j += 1) {
      const right = other[j - 1];
      // A star takes nothing, or one character more of the other side.
      const isStar = left === '*' || right === '*';
      next[j] = isStar
        ? row[j] === true || next[j - 1] === true
        : row[j - 1] === true && charactersMeet(left, right);
    }
    row = next;
  }
  return row[other.length] === true;
}

function emptyRow(name: string): boolean[] {
  const row = [true];
  for (let j = 1; j <= name.length; j += 1) row[j] = row[j - 1] === true && name[j - 1] === '*';
  return row;
}

function charactersMeet(left: string, right: string | undefined): boolean {
  return left === right || left === '?' || right === '?';
}
