import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
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

describe('a worktree that is deleted while its agent lives', () => {
  it('F46 .git first: nothing is put back into it', async () => {
    await using rig = await createRig({ agents: TELLS });
    await planning(rig);
    rmSync(join(rig.workspace(), '.git'));
    rmSync(join(rig.workspace(), 'TASK.md'));
    // Looks at every task at once.
    await rig.must('repair');
    expect(readdirSync(rig.workspace()).toSorted()).toEqual(['.gitignore', 'README.md']);
    rmSync(rig.workspace(), { recursive: true });
    await madeAgain(rig);
  });

  it('F46 .git last: the link that is left of it is none in the way', async () => {
    await using rig = await createRig({ agents: TELLS });
    const id = await planning(rig);
    rmSync(join(rig.workspace(), 'TASK.md'));
    await rig.until('the link', () => hasLink(rig));
    for (const name of ['README.md', '.gitignore', '.git']) rmSync(join(rig.workspace(), name));
    expect(readdirSync(rig.workspace())).toEqual(['TASK.md']);
    const found = (await rig.orange('doctor', '--json')).json<
      { check: string; fixable: string }[]
    >();
    const ours = found.filter(({ check }) => /worktree|link/.test(check));
    expect(ours).toMatchObject([{ check: 'worktree-missing', fixable: 'with-fix', task_id: id }]);
    await rig.must('doctor', '--fix', 'worktree-missing', '--yes');
    await rig.until('the agent again', () => rig.said().length === 2);
    expect(topsOf(rig)[1]).toBe(rig.workspace());
  });

  it('F46 with thousands of files: what is left never keeps its task from a new one', async () => {
    await using rig = await createRig({ agents: TELLS });
    await planning(rig);
    mkdirSync(join(rig.workspace(), 'many'));
    for (let each = 0; each < 3000; each += 1) {
      rig.write(join(rig.workspace(), 'many', `${each}.txt`), 'x\n');
    }
    spawnSync('rm', ['-rf', rig.workspace()]);
    await madeAgain(rig);
  });

  it('F46 the link that is left of it goes when the task is cancelled', async () => {
    await using rig = await createRig({ agents: TELLS, poolSize: 1 });
    const id = await planning(rig);
    for (const name of ['README.md', '.gitignore', '.git']) rmSync(join(rig.workspace(), name));
    await rig.must('task', 'cancel', id, '--yes');
    expect(rig.history(id).map(({ type }) => type)).not.toContain('workspace.quarantined');
    const next = await rig.create('next', 'x', ...PLAIN);
    await rig.waitForStatus(next, 'planning');
  });
});

async function planning(rig: Rig): Promise<string> {
  const id = await rig.create('lost', 'x', ...PLAIN);
  await rig.waitForStatus(id, 'planning');
  await rig.until('the agent', () => rig.said().length === 1);
  return id;
}

/** The agent crashes, and goes on in a worktree that is one. */
async function madeAgain(rig: Rig): Promise<void> {
  const left = existsSync(rig.workspace()) ? readdirSync(rig.workspace()) : [];
  expect(left.filter((name) => name !== 'TASK.md')).toEqual([]);
  await crash(rig);
  await rig.until('the agent again', () => rig.said().length === 2);
  expect(topsOf(rig)[1]).toBe(rig.workspace());
  expect(rig.git(rig.workspace(), 'branch', '--show-current')).toBe('lost');
  await rig.until('the link', () => hasLink(rig));
}

async function crash(rig: Rig): Promise<void> {
  const pid = Number(rig.said()[0]?.split(' ')[0]);
  process.kill(pid, 'SIGKILL');
}

function topsOf(rig: Rig): readonly string[] {
  return rig.said().map((line) => line.slice(line.indexOf(' ') + 1));
}

function hasLink(rig: Rig): boolean {
  const state = lstatSync(join(rig.workspace(), 'TASK.md'), { throwIfNoEntry: false });
  return state?.isSymbolicLink() === true;
}
