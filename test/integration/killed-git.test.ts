import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkPool, checkTask } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const TELLS = { agents: { plain: { worker: 'say "$(git rev-parse HEAD)"; idle' } } };

/** A daemon whose git dies by SIGKILL in the next command of a name, as often as it is told. */
async function startWithMortalGit(rig: Rig): Promise<{ kill(command: string): () => boolean }> {
  const [bin, orders] = [join(rig.root, 'bin'), join(rig.root, 'orders')];
  rig.write(
    join(bin, 'git'),
    `#!/bin/sh
for word; do
  # Only one of several at once gets the order, and takes it with it.
  if [ -e "${orders}-$word" ] && rm "${orders}-$word" 2>/dev/null; then
    # What a git that is at work has then.
    PATH=\${PATH#*:} git "$@" > /dev/null 2>&1 &
    kill -KILL $! $$
  fi
done
PATH=\${PATH#*:} exec git "$@"
`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  const env = { PATH: `${bin}:${rig.env['PATH']}` };
  const started = await rig.run(['daemon', 'start'], { env });
  if (started.code !== 0) throw new Error(started.stderr);
  return {
    kill: (command) => {
      const order = `${orders}-${command}`;
      writeFileSync(order, '');
      return () => !existsSync(order);
    },
  };
}

describe('a git that is killed', () => {
  it('F52 while it fetches is named in the log, and it is fetched again before the agent starts', async () => {
    await using rig = await createRig(TELLS);
    const remote = join(rig.root, 'remote.git');
    rig.git(rig.root, 'clone', '--quiet', '--bare', rig.repository, remote);
    rig.git(rig.repository, 'remote', 'add', 'origin', remote);
    const there = commitElsewhere(rig, remote);
    const git = await startWithMortalGit(rig);
    const isKilled = git.kill('fetch');
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    expect(isKilled()).toBe(true);
    const log = rig.read(join(rig.home, 'orange.log'));
    expect(log).toContain('"message":"git could not fetch (killed by SIGKILL)"');
    await rig.until('the agent', () => rig.said().length === 1);
    expect(rig.said()).toEqual([there]);
    checkTask(rig, id);
  });

  it('F52 while it makes the worktree fails that start by name, and the task is started without hands', async () => {
    await using rig = await createRig(TELLS);
    const git = await startWithMortalGit(rig);
    const isKilled = git.kill('reset');
    const id = await rig.create('first', 'x', ...PLAIN);
    const { reason } = await rig.waitForEvent(id, ({ type }) => type === 'spawn.failed');
    expect([isKilled(), reason]).toEqual([true, 'git could not reset (killed by SIGKILL)']);
    await rig.waitForStatus(id, 'planning');
    await rig.until('the agent', () => rig.said().length === 1);
    expect(rig.git(rig.workspace(), 'status', '--porcelain')).toBe('');
    checkTask(rig, id);
    checkPool(rig, [id]);
  });

  it('F52 while it cleans a worktree sets that aside by name, and it is free again without hands', async () => {
    await using rig = await createRig({ ...TELLS, settings: { reconcile_seconds: 1 } });
    const git = await startWithMortalGit(rig);
    const first = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(first, 'planning');
    rig.write(join(rig.workspace(), 'work.txt'), 'mine\n');
    const isKilled = git.kill('reset');
    await rig.must('task', 'cancel', first, '--yes');
    const { reason } = await rig.waitForEvent(
      first,
      ({ type }) => type === 'workspace.quarantined',
    );
    expect([isKilled(), reason]).toEqual([true, 'git could not reset (killed by SIGKILL)']);
    await rig.until('the worktree', () => rig.pool()['shop--1']?.status === 'available');
    expect(rig.git(rig.workspace(), 'status', '--porcelain')).toBe('');
    const salvage = ['for-each-ref', '--format=%(refname)', 'refs/orange/salvage'];
    const [ref] = rig.git(rig.repository, ...salvage).split('\n');
    expect(rig.git(rig.repository, 'show', `${ref}:work.txt`)).toBe('mine');
    const second = await rig.create('second', 'y', ...PLAIN);
    await rig.waitForStatus(second, 'planning');
    expect(rig.field(second, 'workspace')).toBe('shop--1');
    for (const id of [first, second]) checkTask(rig, id);
    checkPool(rig, [first, second]);
  });
});

/** Somebody else's commit on the default branch; gives its id. */
function commitElsewhere(rig: Rig, remote: string): string {
  const clone = join(rig.root, 'elsewhere');
  rig.git(rig.root, 'clone', '--quiet', remote, clone);
  rig.git(clone, 'commit', '--quiet', '--allow-empty', '--message', 'Go on');
  rig.git(clone, 'push', '--quiet', 'origin', 'HEAD');
  return rig.git(clone, 'rev-parse', 'HEAD');
}
