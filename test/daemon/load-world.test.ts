import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/domain/effect.js';
import { loadTasks, markOwed } from '../../src/daemon/load-world.js';
import type { LaunchRecords } from '../../src/ports.js';
import { formatEvent } from '../../src/record/history-log.js';
import { TASK_ID } from '../builders/task.js';
import { buildSettings } from '../builders/world.js';
import { fakeLaunches, launchRecord, openDaemonHome, type DaemonHome } from './daemon-home.js';

const AT = '2026-01-01T10:00:00.000Z';
const BOUND = { workspace: 'shop--1', tmux_session: 'shop/dark-mode' } as const;

/** The world as a daemon that starts now finds it. */
function load(home: DaemonHome, launches: LaunchRecords = fakeLaunches()) {
  home.world.tasks.clear();
  const loaded = loadTasks({ ...home, launches });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.failure));
  return home.world;
}

function addEvents(home: DaemonHome, ...events: readonly object[]): void {
  const lines = events.map((event) => formatEvent({ type: '', ...event }, AT));
  appendFileSync(
    home.paths.historyFile('shop', TASK_ID),
    lines.map((line) => `${line}\n`).join(''),
  );
}

const MOVED = { type: 'status.changed', from: 'pending', to: 'planning' };
const SPAWNED = { type: 'agent.spawned', ...BOUND, window: 'worker', launch: 'worker-1' };

describe('loading the world', () => {
  it('finds a living agent again', () => {
    using home = openDaemonHome();
    home.addTask({ status: 'planning', ...BOUND });
    addEvents(home, SPAWNED, MOVED);
    const world = load(home, fakeLaunches([launchRecord(TASK_ID)]));
    expect(world.tasks.get(TASK_ID)).toMatchObject({
      fields: { status: 'planning' },
      worker: { kind: 'live', launchId: 'worker-1' },
      claims: null,
    });
  });

  it('finds an agent that ended meanwhile, not yet counted', () => {
    using home = openDaemonHome();
    home.addTask({ status: 'planning', ...BOUND });
    addEvents(home, SPAWNED, MOVED);
    const exit = { status: 3, signal: null, hasScreen: true };
    const world = load(home, fakeLaunches([launchRecord(TASK_ID, { isAlive: false, exit })]));
    expect(world.tasks.get(TASK_ID)).toMatchObject({
      worker: { kind: 'ended', exit: { status: 3 }, isNoted: false },
      respawnAtMs: null,
    });
  });

  it('counts no end twice: one that is in the history only waits for its respawn', () => {
    using home = openDaemonHome();
    home.addTask({ status: 'planning', crash_count: 1, ...BOUND });
    addEvents(home, SPAWNED, MOVED, { type: 'agent.crashed', launch: 'worker-1' });
    const exit = { status: 3, signal: null, hasScreen: false };
    const world = load(home, fakeLaunches([launchRecord(TASK_ID, { isAlive: false, exit })]));
    expect(world.tasks.get(TASK_ID)).toMatchObject({
      worker: { kind: 'ended', isNoted: true, exit: { endedAt: AT } },
      respawnAtMs: home.clock.monotonicMs() + 5000,
    });
  });

  it.each([
    ['resume', 0],
    ['show', null],
  ] as const)(
    'F11 deals with no interruption twice, and with the policy %s waits %j ms for the respawn',
    (afterInterruption, wait) => {
      using home = openDaemonHome();
      home.addTask({ status: 'planning', ...BOUND });
      addEvents(home, SPAWNED, MOVED, { type: 'agent.interrupted', launch: 'worker-1' });
      const exit = {
        status: null,
        signal: null,
        hasScreen: false,
        interruptedBy: 'reboot',
      } as const;
      home.world.settings.set('', buildSettings({ policy: { afterInterruption } }));
      const world = load(home, fakeLaunches([launchRecord(TASK_ID, { isAlive: false, exit })]));
      expect(world.tasks.get(TASK_ID)).toMatchObject({
        fields: { crash_count: 0 },
        worker: { kind: 'ended', isNoted: true },
        respawnAtMs: wait === null ? null : home.clock.monotonicMs() + wait,
      });
    },
  );

  it.each(['reviewing', 'stuck'])(
    'starts nothing again that has ended while its task waits for a person: %s',
    (to) => {
      using home = openDaemonHome();
      home.addTask({ status: 'planning', ...BOUND });
      const moved = { type: 'status.changed', from: 'planning', to };
      addEvents(home, SPAWNED, MOVED, moved, { type: 'agent.ended', launch: 'worker-1' });
      const exit = { status: 3, signal: null, hasScreen: true };
      const world = load(home, fakeLaunches([launchRecord(TASK_ID, { isAlive: false, exit })]));
      expect(world.tasks.get(TASK_ID)).toMatchObject({
        worker: { kind: 'ended', isNoted: true },
        respawnAtMs: null,
      });
    },
  );

  it('looks again at an end whose server may be dying', () => {
    using home = openDaemonHome();
    home.addTask({ status: 'planning', ...BOUND });
    addEvents(home, SPAWNED, MOVED);
    const exit = { status: 129, signal: 'SIGHUP', hasScreen: false };
    const doubtful = { isAlive: false, exit, isInDoubt: true };
    const world = load(home, fakeLaunches([launchRecord(TASK_ID, doubtful)]));
    expect(world.tasks.get(TASK_ID)?.worker).toMatchObject({ kind: 'live' });
  });

  it('takes a status that the history does not know for a claim', () => {
    using home = openDaemonHome();
    home.addTask({ status: 'done', ...BOUND });
    addEvents(home, SPAWNED, MOVED);
    expect(load(home).tasks.get(TASK_ID)).toMatchObject({
      fields: { status: 'planning' },
      claims: { fields: { status: 'done' } },
    });
  });

  it('reports a damaged line in the middle and reads all the others', () => {
    using home = openDaemonHome();
    home.addTask({ status: 'planning', ...BOUND });
    const path = home.paths.historyFile('shop', TASK_ID);
    appendFileSync(path, 'garbage\n');
    addEvents(home, SPAWNED, MOVED);
    const world = load(home);
    expect(world.tasks.get(TASK_ID)?.fields.status).toBe('planning');
    expect(world.problems.get(path)).toMatchObject([{ code: 'ORA081', line: 2, file: path }]);
  });

  it('hides no other task behind one that cannot be read', () => {
    using home = openDaemonHome();
    home.addTask();
    const other = home.addTask({ id: 'bbbbbbbbbbbbbbbbbbbbb', branch: 'other' });
    writeFileSync(home.paths.taskFile('shop', TASK_ID), 'garbage');
    const world = load(home);
    expect(world.tasks.get(other.fields.id)?.problems).toEqual([]);
    expect(world.tasks.get(TASK_ID)?.problems).toHaveLength(1);
    expect(world.tasks.get(TASK_ID)?.fields.branch).toBe('dark-mode');
  });

  it('makes up for the first event of a task whose creation was cut off behind TASK.md', () => {
    using home = openDaemonHome();
    home.addTask();
    rmSync(home.paths.historyFile('shop', TASK_ID));
    load(home);
    load(home);
    expect(home.events(TASK_ID)).toEqual([
      {
        type: 'task.created',
        timestamp: '2026-01-01T09:00:00.000Z',
        task_id: TASK_ID,
        project: 'shop',
        branch: 'dark-mode',
        status: 'pending',
        harness: 'claude',
        review_harness: 'claude',
        summary: 'Add a dark theme',
      },
    ]);
  });

  it('lets the file count, at every later start too, where the history was lost', () => {
    using home = openDaemonHome();
    const lost = { status: 'agent-review', review_round: 2, crash_count: 1, ...BOUND } as const;
    home.addTask(lost);
    rmSync(home.paths.historyFile('shop', TASK_ID));
    load(home);
    expect(load(home).tasks.get(TASK_ID)).toMatchObject({ fields: lost, claims: null });
  });

  it('counts from the file where lines of the history cannot be read', () => {
    using home = openDaemonHome();
    home.addTask({ status: 'planning', crash_count: 1, ...BOUND });
    addEvents(home, SPAWNED, MOVED);
    appendFileSync(home.paths.historyFile('shop', TASK_ID), 'garbage\n');
    addEvents(home, { type: 'task.updated' });
    expect(load(home).tasks.get(TASK_ID)).toMatchObject({
      fields: { crash_count: 1 },
      claims: null,
    });
  });

  it('drops the empty folder of a creation that was cut off before TASK.md', () => {
    using home = openDaemonHome();
    const directory = home.paths.taskDir('shop', TASK_ID);
    mkdirSync(directory, { recursive: true });
    writeFileSync(`${directory}/.TASK.md.0123456789ab.tmp`, '---\nid:');
    const world = load(home);
    expect(existsSync(directory)).toBe(false);
    expect(world.problems.size).toBe(0);
  });

  it('keeps and reports a folder that holds anything of a task', () => {
    using home = openDaemonHome();
    home.addTask();
    rmSync(home.paths.taskFile('shop', TASK_ID));
    const world = load(home);
    expect(existsSync(home.paths.historyFile('shop', TASK_ID))).toBe(true);
    expect(world.tasks.get(TASK_ID)?.problems).toHaveLength(1);
  });
});

describe('a file with another id, beside a history of its own', () => {
  it('is the task’s all the same: the id is a claim like any other', () => {
    using home = openDaemonHome();
    home.addTask({ status: 'planning', ...BOUND });
    addEvents(home, SPAWNED, MOVED);
    const file = home.paths.taskFile('shop', TASK_ID);
    writeFileSync(file, readFileSync(file, 'utf8').replace(`id: ${TASK_ID}`, 'id: other'));
    const world = load(home);
    expect(world.tasks.get(TASK_ID)).toMatchObject({
      fields: { id: TASK_ID, status: 'planning', ...BOUND },
      claims: { fields: { id: 'other' } },
      problems: [],
    });
  });
});

describe('a copy of a task’s folder', () => {
  const COPY = 'copyof';

  /** A task at work, and its folder once more under another name; `change` alters the copy's file. */
  function copyTask(home: DaemonHome, change: (text: string) => string = (text) => text): string {
    home.addTask({ status: 'planning', ...BOUND });
    addEvents(home, SPAWNED, MOVED);
    const directory = home.paths.taskDir('shop', COPY);
    cpSync(home.paths.taskDir('shop', TASK_ID), directory, { recursive: true });
    const file = home.paths.taskFile('shop', COPY);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    return directory;
  }

  it('is reported, and owns neither the worktree nor the session of the task', () => {
    using home = openDaemonHome();
    const directory = copyTask(home);
    const world = load(home);
    expect([...world.tasks.keys()]).toEqual([TASK_ID]);
    expect(world.tasks.get(TASK_ID)?.fields).toMatchObject(BOUND);
    expect(world.problems.get(directory)).toMatchObject([{ code: 'ORA031' }, { code: 'ORA063' }]);
  });

  it('is no task of its own while its history is that of another, whatever id its file has', () => {
    using home = openDaemonHome();
    const directory = copyTask(home, (text) => text.replace(`id: ${TASK_ID}`, `id: ${COPY}`));
    const world = load(home);
    expect([...world.tasks.keys()]).toEqual([TASK_ID]);
    expect(world.problems.get(directory)).toMatchObject([{ code: 'ORA063' }]);
  });

  it('under another project does not take the place of the task', () => {
    using home = openDaemonHome();
    home.addTask({ status: 'planning', ...BOUND });
    addEvents(home, SPAWNED, MOVED);
    for (const project of ['aaa', 'zzz']) {
      const directory = home.paths.taskDir(project, TASK_ID);
      cpSync(home.paths.taskDir('shop', TASK_ID), directory, { recursive: true });
    }
    const world = load(home);
    expect(world.tasks.get(TASK_ID)?.fields).toMatchObject({ project: 'shop', ...BOUND });
    expect(world.problems.size).toBe(2);
  });

  it('becomes a task once it has an id and a history of its own, without the worktree', () => {
    using home = openDaemonHome();
    copyTask(home, (text) => text.replace(`id: ${TASK_ID}`, `id: ${COPY}`));
    rmSync(home.paths.historyFile('shop', COPY));
    const world = load(home);
    expect(world.tasks.get(TASK_ID)?.fields).toMatchObject(BOUND);
    expect(world.tasks.get(COPY)).toMatchObject({
      fields: { workspace: null, tmux_session: null },
      claims: { fields: BOUND },
    });
  });
});

describe('marking what is owed', () => {
  const start: Effect = {
    kind: 'start-agent',
    taskId: TASK_ID,
    role: 'worker',
    window: 'worker',
    launchId: 'worker-2',
    workspace: 'shop--2',
    session: 'shop/dark-mode',
    needsBinding: true,
    isResuming: false,
    message: null,
  };

  it('reserves the worktree of a start that is under way', () => {
    using home = openDaemonHome();
    home.addTask();
    markOwed(home.world, start);
    expect(home.world.tasks.get(TASK_ID)).toMatchObject({
      worker: { kind: 'starting', launchId: 'worker-2' },
      activity: 'starting',
      reservedWorkspace: 'shop--2',
    });
  });

  it('leaves a task alone that is only to be told something', () => {
    using home = openDaemonHome();
    const task = home.addTask();
    markOwed(home.world, { kind: 'notify-human', taskId: TASK_ID, cause: 'stuck' });
    expect(home.world.tasks.get(TASK_ID)).toBe(task);
  });
});
