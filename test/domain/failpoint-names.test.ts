import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { IO_FAILPOINTS, STEP_FAILPOINTS } from '../../src/domain/failpoint-names.js';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));
const LISTED = Object.entries({ ...IO_FAILPOINTS, ...STEP_FAILPOINTS });

it('G1 there are more than forty failpoints', () => {
  expect(LISTED.length).toBeGreaterThanOrEqual(60);
});

it('every failpoint stands once, in the file that the list names', () => {
  const calls = readCalls();
  const places = LISTED.map(([name]) => {
    const found = calls.filter((call) => call.isFor(name));
    return [name, found.map((call) => call.file)] as const;
  });
  expect(places).toEqual(LISTED.map(([name, file]) => [name, [file]]));
});

it('no failpoint stands in the code that the list does not know', () => {
  const unknown = readCalls().filter((call) => !LISTED.some(([name]) => call.isFor(name)));
  expect(unknown.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
});

type Call = { readonly file: string; readonly text: string; isFor(name: string): boolean };

/** `failpoint('a.b')`, and those whose first word is known only when they run. */
function readCalls(): readonly Call[] {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== 'domain/failpoint.ts')
    .toSorted();
  return files.flatMap((file) => {
    const text = readFileSync(join(SOURCE, file), 'utf8');
    return [...text.matchAll(/\b(failpoint|writeFailpoint)\(([^;]*?)\);/g)].map((match): Call => {
      const [whole, , argument = ''] = match;
      const pattern = patternOf(match[1] === 'writeFailpoint', argument);
      return { file, text: whole, isFor: (name) => pattern.test(name) };
    });
  });
}

const WRITTEN = '(?:task-file|pool-file|projects-file|outbox-entry|transcript|other-file)';

function patternOf(isWrite: boolean, argument: string): RegExp {
  const word = /['`]([^'`]+)['`]/.exec(argument)?.[1] ?? 'unnamed';
  const name = word
    .split(/\$\{[^}]*\}/)
    .map((part) => part.replaceAll('.', '\\.'))
    .join('(?:update|move|cancel|spawn|review)');
  return new RegExp(isWrite ? `^${WRITTEN}\\.${name}$` : `^${name}$`);
}
