import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Course = {
  readonly place: { readonly home: string };
  readonly living: readonly { readonly id: string }[];
  readonly [part: string]: unknown;
};
type Fault = { readonly name: string; strike(course: Course): Promise<boolean> };

const FIRST = { chance: () => false, pick: <T>(list: readonly T[]): T | undefined => list[0] };
const places: string[] = [];

/** A course with one task that rests; `settle` gives those that live afterwards. */
function makeCourse(settle: () => readonly { readonly id: string }[]) {
  const home = mkdtempSync(join(tmpdir(), 'oc-fault-'));
  places.push(home);
  const file = join(home, 'tasks', 'shop', 'one', 'TASK.md');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'as it was');
  const asked: unknown[] = [];
  const course = {
    place: { home },
    random: FIRST,
    living: [{ id: 'one' }] as readonly { readonly id: string }[],
    taskIn: async () => 'one',
    settle: async () => void (course.living = settle()),
    ask: async (request: unknown) => void asked.push(request),
  };
  return { course, file, asked };
}

async function givenUp(): Promise<Fault> {
  const { FILE_FAULTS } = await loadScript<{ FILE_FAULTS: readonly Fault[] }>(
    '../chaos/faults/files',
  );
  const fault = FILE_FAULTS.find(({ name }) => name === 'broken TASK.md, given up');
  if (fault === undefined) throw new Error('no such fault');
  return fault;
}

describe('the fault of a broken TASK.md', () => {
  afterEach(() => {
    for (const place of places.splice(0)) rmSync(place, { recursive: true });
  });

  it('spoils the file of a task that rests, and gives the task up', async () => {
    const { course, file, asked } = makeCourse(() => [{ id: 'one' }]);
    expect(await (await givenUp()).strike(course)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('');
    expect(asked).toEqual([{ kind: 'task.cancel', taskId: 'one', reason: null }]);
  });

  it('leaves a task alone that has ended meanwhile, whose file nobody would put right', async () => {
    const { course, file, asked } = makeCourse(() => []);
    expect(await (await givenUp()).strike(course)).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('as it was');
    expect(asked).toEqual([]);
  });
});
