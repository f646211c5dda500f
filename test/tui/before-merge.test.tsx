import { cleanup } from 'ink-testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { failed, success } from '../../src/domain/result.js';
import { FakeClient, KEYS, NOTHING, openRig } from './dashboard-rig.js';
import { snapshotOf, taskView } from './task-views.js';

afterEach(cleanup);

const REVIEWED = taskView({ fields: { id: 'id-done', branch: 'done', status: 'reviewing' } });
const FINALIZED = {
  ready: true,
  risk: 'Medium',
  action: 'review-then-merge',
  files: 12,
  lines: 350,
  conflicts: 0,
  conflicting: [],
  behind: 2,
  head: 'a'.repeat(40),
} as const;

function changesOf(name: string): readonly string[] {
  const added = Array.from({ length: 30 }, (_, at) => `+${name} ${at}`);
  return [`diff --git a/${name} b/${name}`, '@@ -0,0 +1,30 @@', ...added];
}

describe('before a merge', () => {
  it('F finalizes and tells the risk', async () => {
    const client = new FakeClient();
    const task = { ...REVIEWED, finalized: FINALIZED };
    client.answer = () => Promise.resolve(success({ ...NOTHING, task }));
    const rig = await openRig({ client, snapshot: snapshotOf([REVIEWED]) });
    expect(rig.frame()).toContain('F finalize');
    await rig.type('F');
    const frame = await rig.waitFor('finalized shop/done');
    expect(frame).toContain('risk Medium · ready to merge · review-then-merge');
    expect(client.requests).toEqual([{ kind: 'task.finalize', taskId: 'id-done' }]);
  });

  it('F says what cannot be finalized', async () => {
    const rig = await openRig({ snapshot: snapshotOf([taskView()]) });
    await rig.type('F');
    expect(rig.frame()).toContain('only what is reviewing can be finalized');
    expect(rig.client.requests).toEqual([]);
  });

  it('V shows what the task changed, cleaned, and Esc goes back', async () => {
    const diff = success(
      ['diff --git a/x b/x', '--- a/x', '+++ b/x', '@@ -1 +1 @@', '-old\u001B[31m', '+new'].join(
        '\n',
      ),
    );
    const rig = await openRig({ snapshot: snapshotOf([REVIEWED]), diff });
    expect(rig.frame()).toContain('V diff');
    await rig.type('V');
    const frame = await rig.waitFor('+new');
    expect(frame).toContain('Changes of shop/done');
    expect(frame.split('\n').map((line) => line.trimEnd())).toContain('-old');
    await rig.type(KEYS.esc);
    await rig.waitFor('m merge');
  });

  it('n and N go from file to file', async () => {
    const diff = success(['one', 'two', 'three'].flatMap(changesOf).join('\n'));
    const rig = await openRig({ snapshot: snapshotOf([REVIEWED]), diff });
    await rig.type('V');
    expect(await rig.waitFor('+one 0')).toContain('n next file');
    const top = () => rig.frame().split('\n')[2]?.trimEnd();
    const steps: readonly (readonly [string, string])[] = [
      ['n', 'diff --git a/two b/two'],
      ['j', '@@ -0,0 +1,30 @@'],
      ['N', 'diff --git a/two b/two'],
      ['N', 'diff --git a/one b/one'],
      ['N', 'diff --git a/one b/one'],
      ['nn', 'diff --git a/three b/three'],
      ['n', 'diff --git a/three b/three'],
    ];
    for (const [keys, line] of steps) {
      await rig.type(keys);
      expect(top()).toBe(line);
    }
  });

  it('m asks with the risk in sight', async () => {
    const rig = await openRig({ snapshot: snapshotOf([{ ...REVIEWED, finalized: FINALIZED }]) });
    await rig.type('m');
    expect(rig.frame()).toContain('Merge shop/done into main?');
    expect(rig.frame()).toContain('risk Medium · ready to merge · review-then-merge');
  });

  it('V tells that nothing is changed, and why there is no diff', async () => {
    const empty = await openRig({ snapshot: snapshotOf([REVIEWED]) });
    await empty.type('V');
    await empty.waitFor('Nothing is changed.');
    const none = await openRig({
      snapshot: snapshotOf([REVIEWED]),
      diff: failed({ kind: 'branch-missing', branch: 'done' }),
    });
    await none.type('V');
    const frame = await none.waitFor('branch');
    expect(frame).toContain('m merge');
  });

  it('shows no more of a very long diff than can be drawn at once, and how to see the rest', async () => {
    const minified = `+${'日本x '.repeat(2000)}`;
    const long = Array.from({ length: 100_000 }, (_, at) => `+line ${at}`);
    const diff = success(['diff --git a/x b/x', minified, ...long].join('\n'));
    const rig = await openRig({ snapshot: snapshotOf([REVIEWED]), diff });
    await rig.type('V');
    await rig.waitFor('diff --git');
    await rig.type('G');
    const frame = await rig.waitFor('… the rest: orange task diff --full id-done');
    expect(frame).not.toContain('+line 99999');
  });
});
