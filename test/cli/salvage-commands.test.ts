import { describe, expect, it } from 'vitest';
import { success } from '../../src/domain/result.js';
import type { SalvageEntry } from '../../src/domain/salvage.js';
import type { SalvageStore } from '../../src/domain/salvage-store.js';
import { outcome } from '../fakes/fake-client.js';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

const TASK = taskView({ fields: { id: 'task1', branch: 'one', status: 'cancelled' } });
const snapshot = snapshotOf([TASK], [projectView()]);

function entryOf(number: number, parts: Partial<SalvageEntry> = {}): SalvageEntry {
  const state = parts.dropped_at === undefined ? 'salvage' : 'dropped';
  const task_id = parts.task_id ?? 'task1';
  return {
    ref: `refs/orange/${state}/${task_id}/${number}`,
    task_id,
    number,
    commit: 'c0',
    head: 'h0',
    kind: 'work',
    saved_at: '2026-01-01T00:00:00.000Z',
    dropped_at: null,
    ...parts,
  };
}

const DROPPED_AT = '2026-01-02T00:00:00.000Z';
const ENTRIES = [
  entryOf(1),
  entryOf(2),
  entryOf(3, { dropped_at: DROPPED_AT }),
  entryOf(1, { task_id: 'gone1' }),
];

function rigWith(entries: readonly SalvageEntry[] = ENTRIES) {
  const salvage: Pick<SalvageStore, 'list' | 'show'> = {
    list: async () => success(entries),
    show: async ({ ref, form }) => success(`${form} of ${ref}`),
  };
  const restored = { ref: 'r', path: '/there', branch: 'one', head: 'h0' };
  return cliRig({
    snapshot,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    repositories: { salvage: salvage as SalvageStore },
    answer: () => outcome({ salvage: { restored, entries: [entryOf(1)] } }),
  });
}

describe('orange salvage list', () => {
  it.each([
    ['--all', ['task1/1', 'task1/2', 'gone1/1']],
    ['--all --dropped', ['task1/1', 'task1/2', 'task1/3', 'gone1/1']],
    ['--task shop/one', ['task1/1', 'task1/2']],
    ['--task gone1', ['gone1/1']],
    ['--project shop', ['task1/1', 'task1/2', 'gone1/1']],
  ] as const)('%s', async (options, expected) => {
    const ran = await rigWith().run('salvage', 'list', '--json', ...options.split(' '));
    expect(ran.rows().map((row) => `${String(row['task_id'])}/${String(row['number'])}`)).toEqual(
      expected,
    );
    const text = await rigWith().run('salvage', 'list', ...options.split(' '));
    for (const name of expected) expect(text.stdout).toContain(name);
  });

  it('tells of what was dropped where nothing else is left', async () => {
    const dropped = [entryOf(3, { dropped_at: DROPPED_AT })];
    const ran = await rigWith(dropped).run('salvage', 'list', '--all');
    expect(ran.stdout).toBe('There is no saved work.\n');
    expect(ran.stderr).toBe('1 dropped piece can be seen with --dropped.\n');
    expect((await rigWith([]).run('salvage', 'list', '--all')).stderr).toBe('');
  });

  it('names project and task of each', async () => {
    const [first, , third] = (await rigWith().run('salvage', 'list', '--all', '--json')).rows();
    expect(first).toMatchObject({ project: 'shop', task: 'shop/one' });
    expect(third).toMatchObject({ project: 'shop', task: null });
  });
});

describe('which saved work is meant', () => {
  it.each([
    ['task1/1', 'refs/orange/salvage/task1/1'],
    ['shop/one/1', 'refs/orange/salvage/task1/1'],
    ['task/2', 'refs/orange/salvage/task1/2'],
    ['task1/3', 'refs/orange/dropped/task1/3'],
    ['gone1/1', 'refs/orange/salvage/gone1/1'],
    ['refs/orange/dropped/task1/3', 'refs/orange/dropped/task1/3'],
    ['task1', 'refs/orange/salvage/task1/2'],
    ['shop/one', 'refs/orange/salvage/task1/2'],
    ['gone1', 'refs/orange/salvage/gone1/1'],
  ])('%s', async (name, ref) => {
    const ran = await rigWith().run('salvage', 'show', name, '--json');
    expect(ran.json()).toMatchObject({ ref, diff: `stat of ${ref}` });
  });

  it.each(['task1/9', 'nobody', 'nobody/1', 'refs/heads/main'])('%s is not found', async (name) => {
    expect(await rigWith().run('salvage', 'show', name)).toMatchObject({ exitCode: 3 });
  });
});

describe('requests about saved work', () => {
  const one = { project: 'shop', ref: 'refs/orange/salvage/task1/1' };
  it.each([
    ['restore task1/1', { kind: 'salvage.restore', ...one, into: null, branch: null }],
    [
      'restore task1/1 --into back',
      { kind: 'salvage.restore', ...one, into: '/elsewhere/back', branch: null },
    ],
    ['restore task1/1 --branch b', { kind: 'salvage.restore', ...one, into: null, branch: 'b' }],
    ['drop task1/1 --yes', { kind: 'salvage.drop', ...one }],
    ['prune', { kind: 'salvage.prune', project: null, days: null }],
    ['prune --older-than 7 -p shop --yes', { kind: 'salvage.prune', project: 'shop', days: 7 }],
  ] as const)('orange salvage %s', async (line, request) => {
    const rig = rigWith();
    expect(await rig.run('salvage', ...line.split(' '))).toMatchObject({ exitCode: 0 });
    expect(rig.client.requests[0]?.request).toEqual(request);
  });

  it.each(['drop task1/1', 'prune --older-than 0'])(
    '%s is refused without --yes where there is nobody to ask',
    async (line) => {
      const rig = rigWith();
      expect(await rig.run('salvage', ...line.split(' '))).toMatchObject({ exitCode: 1 });
      expect(rig.client.requests).toEqual([]);
    },
  );
});
