import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Outcome = { readonly problem: string | null; readonly isSlow?: boolean };
type How = { readonly seed: string; readonly index: number; readonly canary: string };
const { KINDS, inputOf } = await loadScript<{
  KINDS: Readonly<Record<string, { readonly share: number }>>;
  inputOf: (kind: string, how: How) => unknown;
}>('../fuzz/kinds');
const { runCase } = await loadScript<{
  runCase: (readers: object, kind: string, how: How) => Outcome;
}>('../fuzz/run-case');
const readers = await loadScript<object>('../fuzz/readers');

const CASES = 1500;
const canary = join(tmpdir(), `orange-canary-${process.pid}`);

describe('a slice of the fuzzer', () => {
  // How long a case takes is for `npm run fuzz`, which has the machine to itself.
  it.each(Object.entries(KINDS))('G4 G12 finds nothing in %s', (kind, { share }) => {
    for (let index = 0; index < CASES * share; index += 1) {
      const { problem, isSlow } = runCase(readers, kind, { seed: 'slice', index, canary });
      if (isSlow !== true) expect({ index, problem }).toEqual({ index, problem: null });
    }
    expect(existsSync(canary)).toBe(false);
  });

  it('makes the same input of the same seed', () => {
    for (const kind of Object.keys(KINDS)) {
      const how = { seed: 'same', index: 5, canary };
      expect(inputOf(kind, how)).toEqual(inputOf(kind, how));
    }
  });

  it('notices a reader that throws, and one that lets a control character through', () => {
    const how = { seed: 'slice', index: 0, canary };
    const throwing = { ...readers, parseHistory: () => JSON.parse('{') };
    expect(runCase(throwing, 'history.jsonl', how).problem).toMatch(/^throws: SyntaxError/);
    const leaking = { ...readers, cleanText: () => '\u001b[31m' };
    const { problem } = runCase(leaking, 'pane capture', how);
    expect(problem).toBe('cleanText lets a control character through');
  });

  it('notices a move from a file that cannot be read, and a changed body', () => {
    const change = { kind: 'update-task', fields: { status: 'done' } };
    const eager = { ...readers, decide: () => ({ changes: [change], effects: [] }) };
    const problems = Array.from({ length: 40 }, (_, index) => {
      return runCase(eager, 'TASK.md', { seed: 'slice', index, canary }).problem;
    });
    expect(problems).toContain('moved from planning to done');
    const careless = {
      ...readers,
      editTaskFile: (text: string) => ({ ok: true, value: { text: `${text} `, record: {} } }),
    };
    const how = { seed: 'slice', index: 50, canary };
    const changed = Array.from({ length: 40 }, (_, index) => {
      return runCase(careless, 'TASK.md, every prefix', { ...how, index: 600 + index }).problem;
    });
    expect(changed).toContain('an edit of nothing changed a byte');
  });
});
