import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Outcome = {
  readonly problem: string | null;
  readonly isSlow?: boolean;
  readonly moves: number;
};
type How = { readonly seed: string; readonly index: number; readonly canary: string };
const { KINDS, inputOf } = await loadScript<{
  KINDS: Readonly<Record<string, { readonly share: number }>>;
  inputOf: (kind: string, how: How) => unknown;
}>('../fuzz/kinds');
const { runCase } = await loadScript<{
  runCase: (readers: object, kind: string, how: How) => Outcome;
}>('../fuzz/run-case');
const readers = await loadScript<{
  readonly absorb: (task: object, seen: object) => object;
  readonly createOutbox: (parts: object) => { readonly list: () => unknown };
  readonly artifactsOf: (sections: object) => object;
  readonly parseTaskFile: (text: string, ...rest: readonly unknown[]) => { readonly ok: boolean };
}>('../fuzz/readers');

const CASES = 1500;
const TOO_LONG_MS = 25;
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

  it.each([
    ['TASK.md', 'parseTaskFile'],
    ['TASK.md', 'validateTask'],
    ['TASK.md', 'editTaskFile'],
    ['TASK.md', 'absorb'],
    ['TASK.md', 'decide'],
    ['history.jsonl', 'replayHistory'],
    ['pane capture', 'jsonText'],
    ['config.yaml', 'applyProjectSettings'],
    ['pane capture', 'renderText'],
  ])('notices in %s that %s is slow', (kind, name) => {
    const slow = { ...readers, [name]: slowed(Reflect.get(readers, name)) };
    const problem = firstSlowIn(slow, kind);
    expect(problem).toMatch(new RegExp(`^${name} takes`));
  });

  it('times what is done later by what was made', () => {
    const { createOutbox } = readers;
    const slow = {
      ...readers,
      createOutbox: (parts: object) => ({ list: slowed(createOutbox(parts).list) }),
    };
    const how = { seed: 'slice', index: 0, canary };
    expect(runCase(slow, 'outbox', how).problem).toMatch(/^createOutbox\(\)\.list takes/);
  });

  it('notices a changed body', () => {
    const careless = {
      ...readers,
      editTaskFile: (text: string) => ({ ok: true, value: { text: `${text} `, record: {} } }),
    };
    expect(problemsIn(careless, 'TASK.md')).toContain('an edit of nothing changed a byte');
  });
});

describe('the search for wrong moves', () => {
  // Each breaks one part that reads; what is decided from it is the product's own.
  const { absorb, artifactsOf, parseTaskFile } = readers;

  it('sees files that rightly move a task', () => {
    expect(movesIn(readers, 'TASK.md')).toBeGreaterThan(10);
    expect(movesIn(readers, 'TASK.md, every prefix')).toBeGreaterThan(10);
  });

  it('notices a section that is taken for valid', () => {
    const blind = {
      ...readers,
      artifactsOf: (sections: object) => ({ ...artifactsOf(sections), hasValidPlan: true }),
    };
    expect(problemsIn(blind, 'TASK.md')).toContain(
      'moved from planning to working without a valid Plan',
    );
  });

  it('F32 notices frontmatter that is closed where it ends', () => {
    const lenient = {
      ...readers,
      parseTaskFile: (text: string, ...rest: readonly unknown[]) => {
        const reading = parseTaskFile(text, ...rest);
        return reading.ok ? reading : parseTaskFile(`${text}\n---\n`, ...rest);
      },
    };
    const found = problemsIn(lenient, 'TASK.md, every prefix').join('\n');
    expect(found).toContain('moved from planning to clarification by a file that cannot be read');
  });

  it('notices a file that is not given the time to settle', () => {
    const hasty = {
      ...readers,
      absorb: (task: object, seen: object) => ({ ...absorb(task, seen), isSettled: true }),
    };
    expect(problemsIn(hasty, 'TASK.md').join('\n')).toMatch(/by a file still being written/);
  });

  it('notices a file that cannot be read and is passed over', () => {
    const forgiving = {
      ...readers,
      absorb: (task: object, seen: { readonly kind: string }) =>
        seen.kind === 'file-unreadable' ? task : absorb(task, seen),
    };
    expect(problemsIn(forgiving, 'TASK.md').join('\n')).toMatch(
      /moved from planning to working by a file/,
    );
  });
});

function firstSlowIn(parts: object, kind: string): string | null {
  for (let index = 0; index < 100; index += 1) {
    const { problem, isSlow } = runCase(parts, kind, { seed: 'b', index, canary });
    if (isSlow === true) return problem;
  }
  return null;
}

/** The time that this process has worked, whatever else the machine does. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The same, after longer than anything may take. */
function slowed(part: (...args: readonly unknown[]) => unknown) {
  return (...args: readonly unknown[]): unknown => {
    const start = processorMs();
    while (processorMs() - start < TOO_LONG_MS);
    return part(...args);
  };
}

function outcomesIn(parts: object, kind: string): readonly Outcome[] {
  return Array.from({ length: 450 }, (_, index) =>
    runCase(parts, kind, { seed: 'b', index, canary }),
  );
}

function movesIn(parts: object, kind: string): number {
  return outcomesIn(parts, kind).reduce((sum, { moves }) => sum + moves, 0);
}

function problemsIn(parts: object, kind: string): readonly string[] {
  return outcomesIn(parts, kind).flatMap(({ problem }) => problem ?? []);
}
