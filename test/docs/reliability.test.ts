import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadScript } from '../scripts/load-script.js';

const CHECKOUT = new URL('../../', import.meta.url);
const NUMBERS = [...Array.from({ length: 78 }, (_, index) => `F${index + 1}`), 'F41b'];

type Row = { readonly number: string; readonly where: string; readonly proof: string };

function readInCheckout(path: string): string {
  return readFileSync(new URL(path, CHECKOUT), 'utf8');
}

const rows: readonly Row[] = readInCheckout('docs/reliability.md')
  .split('\n')
  .map((line) => line.split(' | '))
  .flatMap(([number = '', , , where = '', proof = '']) =>
    /^\| F\d/.test(number) ? [{ number: number.slice(2), where, proof }] : [],
  );

/** The tests a row names, by file and a part of the title. */
function testsIn(proof: string): readonly (readonly [file: string, title: string])[] {
  return [...proof.matchAll(/`(test\/[^`]+)`: "([^"]+)"/g)].map(
    ([, file = '', title = '']) => [file, title] as const,
  );
}

/** What a row names after `chaos:` or `fuzz:`. */
function namesIn(proof: string, command: 'chaos' | 'fuzz'): readonly string[] {
  const names = proof.matchAll(/(chaos|fuzz): `([^`]+)`/g);
  return [...names].flatMap(([, found, name = '']) => (found === command ? [name] : []));
}

/** The parts of the benchmark that a text names. */
function measurementsIn(text: string): readonly string[] {
  const commands = text.matchAll(/`npm run bench -- ([^`]+)`/g);
  return [...commands].flatMap(([, names = '']) => names.split(' '));
}

function findsTitle(file: string, number: string, title: string): boolean {
  const isThere = new RegExp(`\\b${number}\\b`);
  return (
    existsSync(new URL(file, CHECKOUT)) &&
    readInCheckout(file)
      .split('\n')
      .some((line) => isThere.test(line) && line.includes(title))
  );
}

describe('docs/reliability.md', () => {
  it('has one row for each fault, and each row names a test or a fault of chaos', () => {
    expect(rows.map(({ number }) => number).toSorted()).toEqual(NUMBERS.toSorted());
    const bare = rows.filter(
      ({ proof }) => testsIn(proof).length === 0 && namesIn(proof, 'chaos').length === 0,
    );
    expect(bare).toEqual([]);
  });

  it.each(rows)('names tests of $number that exist and carry its number', ({ number, proof }) => {
    const missing = testsIn(proof).filter(([file, title]) => !findsTitle(file, number, title));
    expect(missing).toEqual([]);
  });

  it('names files of the product that exist', () => {
    const files = rows.map(({ where }) => where.replaceAll('`', ''));
    expect(files.filter((file) => !existsSync(new URL(file, CHECKOUT)))).toEqual([]);
  });

  it('names faults that chaos has', async () => {
    const list = await loadScript<{ allFaults(): readonly { readonly name: string }[] }>(
      '../chaos/faults/list',
    );
    const known = new Set(list.allFaults().map(({ name }) => name));
    const named = rows.flatMap(({ proof }) => namesIn(proof, 'chaos'));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(named).not.toEqual([]);
  });

  it('names measurements that bench has, and those of a fault carry its number', () => {
    const named = rows.flatMap(({ number, proof }) =>
      measurementsIn(proof).map((name) => [number, `scripts/bench/${name}.mjs`] as const),
    );
    expect(named.filter(([number, file]) => !findsTitle(file, number, ''))).toEqual([]);
    expect(named).not.toEqual([]);
    const files = measurementsIn(readInCheckout('docs/reliability.md')).map(
      (name) => `scripts/bench/${name}.mjs`,
    );
    expect(files.filter((file) => !existsSync(new URL(file, CHECKOUT)))).toEqual([]);
  });

  it('names inputs that fuzz has', async () => {
    const { KINDS } = await loadScript<{ KINDS: Record<string, unknown> }>('../fuzz/kinds');
    const named = rows.flatMap(({ proof }) => namesIn(proof, 'fuzz'));
    expect(named.filter((name) => !Object.hasOwn(KINDS, name))).toEqual([]);
    expect(named).not.toEqual([]);
  });
});
