import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROTOCOL_VERSION } from '../../src/api/protocol.js';
import { listQuickly, readListWords } from '../../src/cli/list-quickly.js';
import { failed, success } from '../../src/domain/result.js';
import type { Snapshot } from '../../src/domain/task-view.js';
import { GREETING, newDirectory, startServer } from '../api/rig.js';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

const TASKS = [
  taskView({ fields: { id: 'young', created_at: '2026-01-02T00:00:00Z' } }),
  taskView({ fields: { id: 'old', summary: 'bell \u0007 and \u202e' }, extensions: { a: ['b'] } }),
  taskView({ fields: { id: 'over', status: 'done' } }),
  taskView({ fields: { id: 'other', project: 'zoo' } }),
];
const SNAPSHOT = snapshotOf(TASKS, [projectView('shop'), projectView('zoo')]);

/** What the short way prints where a daemon knows this snapshot. */
async function listed(
  isAll: boolean,
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  snapshot: Snapshot = SNAPSHOT,
): Promise<string | null> {
  const home = newDirectory();
  await using rig = await startServer({
    socketPath: join(home, 'run', 'daemon.sock'),
    onCall: async () => success(snapshot),
  });
  expect(rig.records).toEqual([]);
  return await listQuickly({ isAll }, { cwd, env: { ...env, ORANGE_HOME: home } });
}

describe('the short way to a list in JSON', () => {
  it.each([
    ['this project', ['task', 'list', '--json'], '/repos/shop/src'],
    ['every project', ['ls', '--all', '--json'], '/elsewhere'],
  ])('prints for %s what the whole program prints', async (_what, words, cwd) => {
    const long = await cliRig({ snapshot: SNAPSHOT, cwd }).run(...words);
    const wish = readListWords(words);
    if (wish === null) throw new Error('not a list');
    expect(await listed(wish.isAll, { cwd })).toBe(long.stdout);
    expect(long.rows().length).toBeGreaterThan(1);
  });

  it('is every project where no repository is around', async () => {
    const text = await listed(false, { cwd: newDirectory() });
    expect(JSON.parse(text ?? '')).toHaveLength(3);
  });

  it('is left to the program where only git can tell the project', async () => {
    const cwd = newDirectory();
    expect(await listed(false, { cwd, env: { GIT_DIR: '/repos/zoo/.git' } })).toBeNull();
    mkdirSync(join(cwd, '.git'));
    mkdirSync(join(cwd, 'src'));
    expect(await listed(false, { cwd: join(cwd, 'src') })).toBeNull();
    expect(await listed(true, { cwd })).not.toBeNull();
  });

  it('is left to the program when no daemon answers, or not in our words', async () => {
    const home = newDirectory();
    const facts = { cwd: '/', env: { ORANGE_HOME: home } };
    const socketPath = join(home, 'run', 'daemon.sock');
    expect(await listQuickly({ isAll: true }, facts)).toBeNull();
    const greeting = { ...GREETING, protocol: PROTOCOL_VERSION + 1 };
    await using newer = await startServer({ socketPath, greeting });
    expect(await listQuickly({ isAll: true }, facts)).toBeNull();
    await newer.server.close();
    await using stopping = await startServer({
      socketPath,
      onCall: async () => failed({ kind: 'daemon-unreachable', reason: 'stopping' }),
    });
    expect(stopping.socketPath).toBe(socketPath);
    expect(await listQuickly({ isAll: true }, facts)).toBeNull();
  });

  it.each([
    [['task', 'list', '--json'], { isAll: false }],
    [['task', 'list', '--json', '-a'], { isAll: true }],
    [['ls', '--all', '--json'], { isAll: true }],
    [['ls', '--json', '--json'], { isAll: false }],
    [['ls'], null],
    [['task', 'list', '--all'], null],
    [['task', 'list', '--json', '--status', 'done'], null],
    [['task', 'list', '--json', '--project', 'shop'], null],
    [['task', 'list', '--json', '--', '--all'], null],
    [['task', 'list', '--json', '--help'], null],
    [['--json', 'task', 'list'], null],
    [['project', 'list', '--json'], null],
    [['task', 'show', '--json'], null],
    [[], null],
  ])('is taken for %j: %j', (words, wish) => {
    expect(readListWords(words)).toEqual(wish);
  });
});
