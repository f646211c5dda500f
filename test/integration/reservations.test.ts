import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Event } from './orange-rig.js';

const GATES = { review: 'skip' };
const isConflict = ({ type }: Event): boolean => type === 'reservation.conflict';

describe('two plans that name the same files', () => {
  it('hold the second in block mode until the first is merged', async () => {
    await using rig = await createRig({
      policy: { gates: GATES, reservations: { mode: 'block' } },
      agents: {
        one: {
          worker: `add Plan 'TOUCHING: src/'; await_status working; work done; add Handoff 'DONE: it'; idle`,
        },
        two: { worker: `add Plan 'TOUCHING: src/a.ts, docs/'; idle` },
      },
    });
    const first = await rig.create('first', 'One', '--harness', 'one');
    await rig.waitForStatus(first, 'reviewing');
    const drift = await rig.waitForEvent(first, ({ type }) => type === 'touch.drift');
    expect(drift).toMatchObject({ count: 1, paths: ['done.txt'] });
    const second = await rig.create('second', 'Two', '--harness', 'two');
    const denied = await rig.waitForEvent(second, ({ type }) => type === 'reservation.denied');
    expect(denied).toMatchObject({ with: [first], paths: ['src/a.ts'] });
    const inbox = await rig.must('inbox', '--json');
    expect(inbox.json<readonly object[]>()).toContainEqual(
      expect.objectContaining({ code: 'reserved', task_id: second }),
    );
    const locks = await rig.must('locks', 'list', '--json');
    expect(locks.json<readonly object[]>()).toMatchObject([
      { task_id: first, holder: 'shop/first', paths: ['src', 'done.txt'], drift: 1 },
    ]);
    expect(rig.field(second, 'status')).toBe('planning');
    await rig.must('task', 'merge', first, '--yes');
    await rig.waitForStatus(second, 'working');
    expect(rig.history(second).filter(({ type }) => type === 'reservation.denied')).toHaveLength(1);
    const rows = (id: string) =>
      rig
        .read(join(rig.home, 'reservations.jsonl'))
        .split('\n')
        .filter((line) => line.includes(id));
    await rig.until('what the second takes', () => rows(second).length > 0);
    expect(rows(first).at(-1)).toMatch(/reservation\.released.*"terminal"/);
  });

  it('pass in warn mode, and both tasks and both agents hear of it', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `echo x > stray.txt; add Plan 'TOUCHING: src/a.ts'; while read -r line; do say "$ORANGE_BRANCH: $line"; done`,
        },
      },
    });
    const first = await rig.create('first', 'One', '--harness', 'plain');
    await rig.waitForStatus(first, 'working');
    const second = await rig.create('second', 'Two', '--harness', 'plain');
    expect(await rig.waitForEvent(first, isConflict)).toMatchObject({ with: second, mode: 'warn' });
    expect(await rig.waitForEvent(second, isConflict)).toMatchObject({ with: first });
    const drift = await rig.must('task', 'drift', first, '--json');
    expect(drift.json()).toEqual({ id: first, paths: ['stray.txt'], count: 1 });
    for (const [one, other] of [
      ['first', 'second'],
      ['second', 'first'],
    ]) {
      await rig.until(`what ${one} hears`, () =>
        rig.said().some((line) => line.startsWith(`${one}: `) && line.includes(`shop/${other}`)),
      );
    }
  });
});

it('files are named from where one stands, in a checkout and in a worktree elsewhere', async () => {
  await using rig = await createRig();
  const elsewhere = join(rig.root, 'elsewhere');
  rig.git(rig.repository, 'worktree', 'add', '--quiet', '-b', 'own', elsewhere);
  const [here, there] = [join(rig.repository, 'src'), join(elsewhere, 'src')];
  for (const folder of [here, there]) mkdirSync(folder);
  const reserved = await rig.run(['locks', 'reserve', 'a.txt', '--for', 'Pat', '--json'], {
    cwd: here,
  });
  expect(reserved.json()).toMatchObject({ paths: ['src/a.txt'] });
  const held = await rig.run(['locks', 'check', 'a.txt'], { cwd: there });
  expect(held.stdout).toContain('Pat');
  const free = await rig.run(['locks', 'check', ':/a.txt'], { cwd: there });
  expect(free.stdout).toContain('Nobody holds any of it.');
  const out = await rig.run(['locks', 'check', '../../a.txt'], { cwd: there });
  expect([out.code, out.stderr]).toEqual([2, expect.stringContaining('"../../a.txt"')]);
});
