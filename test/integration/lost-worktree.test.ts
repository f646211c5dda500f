import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
/** Each life of an agent says its pid and what git takes for the top of the worktree. */
const TELLS = { plain: { worker: 'say "$$ $(git rev-parse --show-toplevel 2>&1)"; idle' } };

describe('a worktree that lost its .git', () => {
  it('F46 gets it back before its agent is started again, with the work that is in it', async () => {
    await using rig = await createRig({ agents: TELLS });
    const id = await planning(rig);
    rig.write(join(rig.workspace(), 'work.txt'), 'mine\n');
    rmSync(join(rig.workspace(), '.git'));
    await crash(rig);
    await rig.until('the agent again', () => rig.said().length === 2);
    expect(topsOf(rig)).toEqual([rig.workspace(), rig.workspace()]);
    expect(rig.git(rig.workspace(), 'branch', '--show-current')).toBe('lost');
    expect(rig.read(join(rig.workspace(), 'work.txt'))).toBe('mine\n');
    expect(rig.field(id, 'status')).toBe('planning');
  });

  it('F46 has its work saved when the task is cancelled, and serves the next one', async () => {
    await using rig = await createRig({ agents: TELLS, poolSize: 1 });
    const id = await planning(rig);
    rig.write(join(rig.workspace(), 'work.txt'), 'mine\n');
    rmSync(join(rig.workspace(), '.git'));
    await rig.must('task', 'cancel', id, '--yes');
    const { ref } = await rig.waitForEvent(id, ({ type }) => type === 'workspace.salvaged');
    expect(rig.git(rig.repository, 'show', `${String(ref)}:work.txt`)).toBe('mine');
    const next = await rig.create('next', 'x', ...PLAIN);
    await rig.waitForStatus(next, 'planning');
    await rig.until('the agent', () => rig.said().length === 2);
    expect(topsOf(rig)[1]).toBe(rig.workspace());
  });

  it('F46 and that git has forgotten gets no agent, by name, until it is moved away', async () => {
    await using rig = await createRig({ agents: TELLS, policy: { auto_respawn: false } });
    const id = await planning(rig);
    // Whatever an agent does there would happen to this one.
    rig.git(rig.home, 'init', '-q');
    rmSync(join(rig.workspace(), '.git'));
    rig.git(rig.repository, 'worktree', 'prune', '--expire=now');
    const asked = await rig.orange('task', 'respawn', id);
    expect(asked.code).toBe(1);
    expect(asked.stderr).toContain(`Worktree ${rig.workspace()} cannot be used`);
    const told = `Worktree ${rig.workspace()} cannot be used: it is not a worktree; it is left as it is: move it away`;
    for (const view of [['inbox'], ['ls'], ['task', 'show', id]]) {
      expect((await rig.orange(...view)).stdout, view.join(' ')).toContain(told);
    }
    expect(rig.said()).toHaveLength(1);
    spawnSync('mv', [rig.workspace(), join(rig.root, 'away')]);
    await rig.must('task', 'respawn', id);
    await rig.until('the agent again', () => rig.said().length === 2);
    expect(topsOf(rig)[1]).toBe(rig.workspace());
  });
});

async function planning(rig: Rig): Promise<string> {
  const id = await rig.create('lost', 'x', ...PLAIN);
  await rig.waitForStatus(id, 'planning');
  await rig.until('the agent', () => rig.said().length === 1);
  return id;
}

async function crash(rig: Rig): Promise<void> {
  const pid = Number(rig.said()[0]?.split(' ')[0]);
  process.kill(pid, 'SIGKILL');
}

function topsOf(rig: Rig): readonly string[] {
  return rig.said().map((line) => line.slice(line.indexOf(' ') + 1));
}
