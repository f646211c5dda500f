import { describe, expect, it, onTestFinished } from 'vitest';
import { join } from 'node:path';
import { DriftWatch } from '../../src/daemon/drift-watch.js';
import { LiveWorld } from '../../src/daemon/live-world.js';
import type { Observation } from '../../src/domain/observation.js';
import { failed, success } from '../../src/domain/result.js';
import { buildTaskIn, TASK_ID, type TaskParts } from '../builders/task.js';
import { temporaryHome } from '../record/temporary-home.js';
import { manualClock, memoryLog } from './daemon-home.js';

const DECLARED: TaskParts = { artifacts: { touching: ['src/'] } };
const SEEN: Observation = { kind: 'diff-seen', taskId: TASK_ID, paths: ['lib/a.ts'] };

/** A watch over one task at work, with the log of its commits as a file, and a terminal that is asked. */
function openWatch(task = buildTaskIn('working', DECLARED)) {
  const home = temporaryHome();
  onTestFinished(() => home[Symbol.dispose]());
  const { files, paths } = home;
  const world = new LiveWorld();
  world.putTask(task);
  const clock = manualClock();
  const git = join(paths.home, 'git');
  for (const directory of [paths.workspacesDir, paths.workspace('shop--1'), join(git, 'logs')]) {
    expect(files.makeDirectory(directory).ok).toBe(true);
  }
  const write = (path: string, text: string) => expect(files.replace(path, text).ok).toBe(true);
  write(join(paths.workspace('shop--1'), '.git'), `gitdir: ${git}\n`);
  const terminal = { outputAt: 1, isThere: true, asked: 0 };
  const measured: string[] = [];
  const log = memoryLog();
  const bugs = new Set<string>();
  const seen: Observation[] = [];
  let commits = '';
  const watch = new DriftWatch({
    world,
    files,
    paths,
    clock,
    log,
    sessions: {
      lastOutput: async () => {
        terminal.asked += 1;
        const silent = {
          kind: 'command-timed-out',
          program: 'tmux',
          action: 'list',
          timeoutMs: 1,
        } as const;
        return terminal.isThere
          ? success(new Map([['worker-1', terminal.outputAt]]))
          : failed(silent);
      },
    },
    measure: async (taskId) => {
      measured.push(taskId);
      if (bugs.has(taskId)) throw new Error('a bug');
      return SEEN;
    },
    see: (observation) => seen.push(observation),
  });
  const commit = (): void => {
    commits += 'a commit\n';
    write(join(git, 'logs', 'HEAD'), commits);
  };
  return { watch, world, clock, terminal, measured, seen, commit, bugs, log };
}

describe('the watch over drift', () => {
  it('looks at once after a commit, and only then while the terminal is silent', async () => {
    const rig = openWatch();
    rig.commit();
    await rig.watch.look();
    rig.clock.advance(600_000);
    await rig.watch.look();
    expect(rig.measured).toEqual([]);
    rig.commit();
    await rig.watch.look();
    await rig.watch.look();
    expect(rig.measured).toEqual([TASK_ID]);
    expect(rig.seen).toEqual([SEEN]);
  });

  it('looks without a commit while the worker gets on, but not more than once a minute', async () => {
    const rig = openWatch();
    for (let seconds = 0; seconds <= 300; seconds += 10) {
      rig.terminal.outputAt += 10;
      await rig.watch.look();
      rig.clock.advance(10_000);
    }
    expect(rig.measured).toHaveLength(5);
  });

  it('still sees commits when the terminal does not answer', async () => {
    const rig = openWatch();
    rig.terminal.isThere = false;
    rig.commit();
    await rig.watch.look();
    rig.commit();
    await rig.watch.look();
    expect(rig.measured).toEqual([TASK_ID]);
  });

  it.each([
    ['declared nothing', buildTaskIn('working')],
    ['only plans', buildTaskIn('planning', DECLARED)],
    ['has no worktree', buildTaskIn('working', { ...DECLARED, fields: { workspace: null } })],
  ])('asks nobody about a task that %s', async (_, task) => {
    const rig = openWatch(task);
    await rig.watch.look();
    rig.commit();
    await rig.watch.look();
    expect([rig.measured, rig.terminal.asked]).toEqual([[], 0]);
  });

  it('begins anew with a task that was away', async () => {
    const rig = openWatch();
    rig.commit();
    await rig.watch.look();
    rig.world.putTask(buildTaskIn('agent-review', DECLARED));
    await rig.watch.look();
    rig.commit();
    rig.world.putTask(buildTaskIn('working', DECLARED));
    await rig.watch.look();
    expect(rig.measured).toEqual([]);
  });

  it('F77 goes on with the others after a bug in the look at one', async () => {
    const { watch, world, measured, commit, bugs, log } = openWatch();
    world.putTask(buildTaskIn('working', { ...DECLARED, fields: { id: 'other' } }));
    bugs.add(TASK_ID);
    await watch.look();
    commit();
    await watch.look();
    expect(measured).toEqual([TASK_ID, 'other']);
    expect(log.records).toMatchObject([{ event: 'drift.failed', task: TASK_ID }]);
  });

  it('does not look twice at the same time', async () => {
    const rig = openWatch();
    await Promise.all([rig.watch.look(), rig.watch.look()]);
    expect(rig.terminal.asked).toBe(1);
  });
});
