import {
  appendFileSync,
  closeSync,
  cpSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkAgents, checkTask, daemonPid, movesOf } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
/** Plans when it is told to, then takes notes until it has taken enough. */
const PLANNER = {
  // Only the sweep may find it.
  settings: { reconcile_seconds: 3600 },
  agents: {
    plain: {
      worker: `await_go plan; add Plan 'APPROACH: x'; add Notes one
        until [ -e "$RIG/said/go-on" ]; do echo more >> TASK.md; sleep 0.5; done; idle`,
    },
  },
};
const MISSED = { files: 'broken: missed', sweep: 'full' };
const WELL = { files: 'watching', sweep: 'net' };

describe('a change that no watch tells of', () => {
  it('F18 F36 is found because the folder of the tasks was replaced, that is said, and the new one is watched', async () => {
    await using rig = await createRig(PLANNER);
    const id = await planning(rig);
    const pid = daemonPid(rig);
    expect(watchedBy(pid)).toContain(inodeOf(rig.taskDir(id)));
    replaceFolder(rig, join(rig.home, 'tasks'));
    expect(watchedBy(pid)).not.toContain(inodeOf(rig.taskDir(id)));
    rig.go('plan');
    await rig.waitForStatus(id, 'working');
    await rig.until('the word of it', () => says(rig, MISSED));
    rig.go('on');
    const status = await rig.must('daemon', 'status', '--json');
    expect(status.json()).toMatchObject({
      sources: { files: { state: 'broken', reason: 'missed' }, sweep: 'full' },
    });
    const doctor = await rig.orange('doctor', '--json');
    expect(doctor.json()).toContainEqual(
      expect.objectContaining({
        check: 'events',
        level: 'warn',
        remedy: expect.stringContaining('Keep ORANGE_HOME on a local disk'),
      }),
    );
    const anew = [rig.taskDir(id), dirname(rig.taskDir(id))].map(inodeOf);
    expect(watchedBy(pid)).toEqual(expect.arrayContaining(anew));
    expect(daemonPid(rig)).toBe(pid);
    checkTask(rig, id);
    checkAgents(rig, id);
    expect(movesOf(rig.history(id))).toEqual(['pending → planning', 'planning → working']);
  });

  it('F18 is found because it was written by another name of the file', async () => {
    await using rig = await createRig(PLANNER);
    const id = await planning(rig);
    const other = join(rig.root, 'other.md');
    linkSync(rig.taskFile(id), other);
    appendFileSync(other, '\n## Plan\n\nAPPROACH: x\n');
    await rig.waitForStatus(id, 'working');
    checkTask(rig, id);
  });

  it.each([
    ['in place', (file: string, text: string) => writeFileSync(file, text)],
    [
      'by rename in the worktree',
      (file: string, text: string) => {
        writeFileSync(`${file}.new`, text);
        renameSync(`${file}.new`, file);
      },
    ],
  ])(
    'F18 F36 is acted on, and that is said, after the queue of the system overflowed: saved %s',
    async (_, save) => {
      await using rig = await createRig({
        ...PLANNER,
        agents: { plain: { worker: 'await_go never' } },
      });
      const noisy = await rig.create('noisy', 'x', ...PLAIN);
      await rig.waitForStatus(noisy, 'planning');
      const id = await planning(rig);
      const file = rig.taskFile(id);
      await rig.until('rest', () => Date.now() - statSync(file).mtimeMs > 1000);
      const pid = daemonPid(rig) ?? 0;
      process.kill(pid, 'SIGSTOP');
      overflow(worktreeOf(rig, noisy));
      save(join(worktreeOf(rig, id), 'TASK.md'), `${rig.read(file)}\n## Plan\n\nAPPROACH: x\n`);
      process.kill(pid, 'SIGCONT');
      await rig.waitForStatus(id, 'working');
      await rig.until('the word of it', () => says(rig, MISSED));
      checkTask(rig, id);
    },
  );
});

async function planning(rig: Rig): Promise<string> {
  const id = await rig.create('first', 'x', ...PLAIN);
  await rig.waitForStatus(id, 'planning');
  await rig.until('trust', () => says(rig, WELL));
  return id;
}

function worktreeOf(rig: Rig, id: string): string {
  return join(rig.home, 'workspaces', rig.field(id, 'workspace') ?? '');
}

/** More happens in a watched folder than the system keeps for whoever watches it. */
function overflow(folder: string): void {
  const most = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  for (let index = 0; index <= most / 2 + 500; index += 1) {
    const name = join(folder, `f${index}`);
    closeSync(openSync(name, 'w'));
    unlinkSync(name);
  }
}

/** Puts a copy in the place of a folder: what watches the folder follows it to where it is moved. */
function replaceFolder(rig: Rig, folder: string): void {
  const copy = join(rig.root, 'copy');
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  renameSync(folder, join(rig.root, 'moved'));
  renameSync(copy, folder);
}

/** Whether the daemon has last written this down about its sources. */
function says(rig: Rig, wanted: { readonly files: string; readonly sweep: string }): boolean {
  const lines = rig.read(join(rig.home, 'orange.log')).split('\n').filter(Boolean);
  const last = lines
    .map((line): Record<string, unknown> => JSON.parse(line))
    .findLast(({ event }) => event === 'sources');
  return last?.['files'] === wanted.files && last['sweep'] === wanted.sweep;
}

const inodeOf = (path: string): number => statSync(path).ino;

/** The inodes that a process has watches on. */
function watchedBy(pid: number | null): readonly number[] {
  return readdirSync(`/proc/${pid}/fdinfo`)
    .flatMap((fd) => readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8').split('\n'))
    .flatMap((line) => /^inotify .* ino:([0-9a-f]+) /.exec(line)?.[1] ?? [])
    .map((inode) => Number.parseInt(inode, 16));
}
