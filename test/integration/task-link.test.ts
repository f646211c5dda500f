import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daemonPid, killDaemon } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

describe('the TASK.md in a worktree', () => {
  it('F36 may be replaced by rename: the agent is heard and the link is healed', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `save Plan 'APPROACH: rename'; await_status working; work a; save Handoff 'DONE: a'; idle`,
          reviewer: `save Review 'Verdict: PASS'; idle`,
        },
      },
    });
    const id = await rig.create('renames', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    await rig.until('the link', () => isLinked(rig, id));
    const text = rig.read(rig.taskFile(id));
    expect(text).toMatch(/## Plan\n\nAPPROACH: rename\n/);
    expect(text).toMatch(/## Handoff\n\nDONE: a\n/);
    expect(text).toMatch(/## Review\n\nVerdict: PASS\n/);
    expect(rig.git(rig.workspace(), 'status', '--porcelain')).toBe('');
  });

  it('is heard when the agent replaces it by rename and ends at once', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `work a; save Plan 'TOUCHING: a'; save Handoff 'DONE: a'`,
          reviewer: `save Review 'Verdict: PASS'`,
        },
      },
    });
    const id = await rig.create('renames', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    expect(rig.history(id).filter(({ type }) => type === 'agent.crashed')).toEqual([]);
    expect(isLinked(rig, id)).toBe(true);
  });

  it('may be written in place, in many small pieces', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `for word in '' '## Plan' '' 'APPROACH: slowly,' 'line by line' ''; do printf '%s\\n' "$word" >> TASK.md; sleep 0.02; done
            await_status working; idle`,
        },
      },
    });
    const id = await rig.create('pieces', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'working');
    expect(
      rig.read(rig.taskFile(id)).endsWith('## Plan\n\nAPPROACH: slowly,\nline by line\n\n'),
    ).toBe(true);
    expect(isLinked(rig, id)).toBe(true);
  });

  it('F36 comes back when it is deleted or points elsewhere', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    const id = await rig.create('deletes', 'x', ...PLAIN);
    const link = join(rig.workspace(), 'TASK.md');
    rmSync(link);
    await rig.until('the link', () => isLinked(rig, id));
    symlinkSync('/etc/hostname', `${link}.new`);
    renameSync(`${link}.new`, link);
    await rig.until('the link', () => isLinked(rig, id));
    expect(rig.field(id, 'status')).toBe('planning');
  });

  it('is not taken over when it is not this task’s file', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    const id = await rig.create('foreign', 'x', ...PLAIN);
    const before = rig.read(rig.taskFile(id));
    const link = join(rig.workspace(), 'TASK.md');
    const other = before.replace(id, '0123456789abcdefghijk');
    writeFileSync(`${link}.new`, `${other}\n## Plan\n\nAPPROACH: of another\n`);
    renameSync(`${link}.new`, link);
    await rig.must('task', 'update', id, '--summary', 'y');
    expect(rig.read(rig.taskFile(id))).not.toContain('of another');
    expect(rig.field(id, 'status')).toBe('planning');
  });

  it.each([
    ['at once', () => true],
    ['a little later', (rig: Rig, id: string) => isCopySeen(rig, id)],
  ])('F36 may be replaced by rename while others write into TASK.md, %s', async (_, isTime) => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    const id = await rig.create('both', 'do it', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await rig.until('the link', () => isLinked(rig, id));
    saveCopy(rig, (text) => text.replace('do it', 'do it well'));
    await rig.until('the time to write', () => isTime(rig, id));
    appendFileSync(rig.taskFile(id), '\n## Decision\n\nMake it blue.\n');
    await rig.until('the link', () => isLinked(rig, id));
    const text = rig.read(rig.taskFile(id));
    expect(text).toContain('do it well\n');
    expect(text).toContain('\n## Decision\n\nMake it blue.\n');
    expect(keptTexts(rig, id)).toEqual([]);
  });

  it('F36 may be replaced by rename while no daemon runs: what others wrote since is kept', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    const id = await rig.create('both', 'do it', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await rig.until('the link', () => isLinked(rig, id));
    await rig.must('daemon', 'stop');
    saveCopy(rig, (text) => text.replace('do it', 'do it well'));
    appendFileSync(rig.taskFile(id), '\n## Decision\n\nMake it blue.\n');
    await rig.must('daemon', 'start');
    await rig.until('the link', () => isLinked(rig, id));
    expect(rig.read(rig.taskFile(id))).toContain('do it well\n');
    expect(keptTexts(rig, id).join('')).toContain('\n## Decision\n\nMake it blue.\n');
    expect((await rig.must('inbox', '--json')).stdout).toContain('edit-kept');
  });

  it.each(['adopt.copied', 'disk.kept'])(
    'F1 F36 may be replaced by rename while others write, also when the daemon is killed (%s)',
    async (failpoint) => {
      await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
      const id = await rig.create('both', 'do it', ...PLAIN);
      await rig.waitForStatus(id, 'planning');
      await rig.until('the link', () => isLinked(rig, id));
      await rig.must('daemon', 'stop');
      const env = { ORANGE_FAILPOINT: `${failpoint}:kill` };
      expect(await rig.run(['daemon', 'start'], { env })).toMatchObject({ code: 0 });
      saveCopy(rig, (text) => text.replace('do it', 'do it well'));
      appendFileSync(rig.taskFile(id), '\n## Decision\n\nMake it blue.\n');
      await rig.until('the end of the daemon', () => daemonPid(rig) === null);
      await rig.must('daemon', 'start');
      await rig.until('the link', () => isLinked(rig, id));
      const texts = [rig.read(rig.taskFile(id)), ...keptTexts(rig, id)].join('');
      expect(texts).toContain('do it well\n');
      expect(texts).toContain('\n## Decision\n\nMake it blue.\n');
    },
  );

  it.each([
    ['of another task', (_own: string, other: string) => other],
    ['that cannot be read', (own: string) => own.replace('---', '')],
  ])('F36 is kept when it is a copy %s, and the link is healed', async (_, write) => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } }, poolSize: 2 });
    const id = await rig.create('mine', 'x', ...PLAIN);
    const other = await rig.create('theirs', 'y', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const copy = `${write(rig.read(rig.taskFile(id)), rig.read(rig.taskFile(other)))}\n## Plan\n\nAPPROACH: lost?\n`;
    const link = join(rig.workspace(), 'TASK.md');
    writeFileSync(`${link}.new`, copy);
    renameSync(`${link}.new`, link);
    await rig.until('the link', () => isLinked(rig, id));
    expect(keptTexts(rig, id)).toEqual([copy]);
    expect((await rig.must('inbox', '--json')).stdout).toContain('edit-kept');
    expect(rig.field(id, 'status')).toBe('planning');
    appendFileSync(link, '\n## Plan\n\nAPPROACH: heard\n');
    await rig.waitForStatus(id, 'working');
  });

  it('F36 is kept and healed by doctor --fix, too, when it is a copy of another task', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } }, poolSize: 2 });
    const id = await rig.create('mine', 'x', ...PLAIN);
    const other = await rig.create('theirs', 'y', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await killDaemon(rig);
    const copy = rig.read(rig.taskFile(other));
    const link = join(rig.workspace(), 'TASK.md');
    rmSync(link);
    writeFileSync(link, copy);
    utimesSync(link, 1, 1);
    await rig.must('doctor', '--fix', 'task-link', '--yes');
    expect(isLinked(rig, id)).toBe(true);
    expect(keptTexts(rig, id)).toEqual([copy]);
    expect(rig.history(id).filter(({ type }) => type === 'edit.kept')).toHaveLength(1);
    await rig.must('daemon', 'start');
    expect((await rig.must('inbox', '--json')).stdout).toContain('edit-kept');
  });

  it('is hidden from git even in a repository that has a TASK.md of its own', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `save Plan 'TOUCHING: a'; work a; add Handoff 'DONE: a'; idle`,
          reviewer: `add Review 'Verdict: PASS'; idle`,
        },
      },
    });
    rig.write(join(rig.repository, 'TASK.md'), 'the project’s own\n');
    rig.git(rig.repository, 'add', '--all');
    rig.git(rig.repository, 'commit', '-qm', 'A file of that name');
    const id = await rig.create('same-name', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    await rig.must('task', 'merge', id, '--yes');
    expect(rig.git(rig.repository, 'show', 'main:TASK.md')).toBe('the project’s own');
    expect(rig.git(rig.repository, 'show', '--name-only', '--format=', 'main')).toBe('a.txt');
    expect(rig.pool()).toEqual({ 'shop--1': { status: 'available' } });
  });
});

describe('a copy of a task’s folder', () => {
  it('takes neither its worktree nor what its agent writes', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    const id = await rig.create('copied', 'x', ...PLAIN);
    const copy = join(rig.taskDir(id), '..', 'copyof');
    cpSync(rig.taskDir(id), copy, { recursive: true });
    await rig.must('daemon', 'restart');
    for (const round of [1, 2, 3, 4]) {
      appendFileSync(join(rig.workspace(), 'TASK.md'), `- note ${round}\n`);
      await rig.must('repair');
      expect(isLinked(rig, id)).toBe(true);
    }
    expect(rig.read(rig.taskFile(id))).toContain('- note 1\n- note 2\n- note 3\n- note 4\n');
    expect(rig.read(join(copy, 'TASK.md'))).not.toContain('note');
    expect(rig.pool()).toMatchObject({ 'shop--1': { task_id: id } });
    const found = await rig.orange('doctor', '--json');
    expect(found.stdout).toContain('ORA063');
    expect(found.stdout).not.toContain('task-link');
  });
});

/** Puts a copy in the place of the link, as `sed -i` does. */
function saveCopy(rig: Rig, change: (text: string) => string): void {
  const link = join(rig.workspace(), 'TASK.md');
  writeFileSync(`${link}.new`, change(rig.read(link)));
  renameSync(`${link}.new`, link);
}

function isCopySeen(rig: Rig, id: string): boolean {
  return existsSync(join(rig.home, 'run', 'copy-origins', `${id}.md`));
}

function keptTexts(rig: Rig, id: string): readonly string[] {
  const directory = join(rig.taskDir(id), 'transcripts');
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .filter((name) => name.endsWith('.md'))
    .map((name) => rig.read(join(directory, name)));
}

function isLinked(rig: Rig, id: string): boolean {
  const link = join(rig.workspace(), 'TASK.md');
  const state = lstatSync(link, { throwIfNoEntry: false });
  return state?.isSymbolicLink() === true && readlinkSync(link) === rig.taskFile(id);
}
