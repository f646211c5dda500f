import { afterEach, describe, expect, it } from 'vitest';
import { LockBook } from '../../src/daemon/lock-book.js';
import { LiveWorld } from '../../src/daemon/live-world.js';
import type { HistoryEvent } from '../../src/domain/history-event.js';
import type { TaskState } from '../../src/domain/world.js';
import { createHistoryLog } from '../../src/record/history-log.js';
import { buildTaskIn, TASK_ID } from '../builders/task.js';
import { buildProject, buildSettings } from '../builders/world.js';
import { temporaryHome } from '../record/temporary-home.js';
import { manualClock } from './daemon-home.js';

const homes: Disposable[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home[Symbol.dispose]();
});

type Parts = { readonly mode?: 'warn' | 'block'; readonly tasks?: readonly TaskState[] };

function openBook({ mode = 'warn', tasks = [] }: Parts = {}) {
  const home = temporaryHome();
  homes.push(home);
  expect(home.files.makeDirectory(home.paths.runDir).ok).toBe(true);
  const clock = manualClock();
  let count = 0;
  const newId = (): string => `made${(count += 1)}`;
  const start = () => {
    const world = new LiveWorld();
    world.replaceProjects([buildProject()]);
    const reservations = { mode, ttlMinutes: 30 };
    world.settings.set('', buildSettings({ policy: { reservations } }));
    for (const task of tasks) world.putTask(task);
    const { files, paths } = home;
    const book = new LockBook({
      world,
      files,
      paths,
      clock,
      newId,
      history: createHistoryLog(files),
    });
    expect(book.load().ok).toBe(true);
    return { world, book };
  };
  const rows = () => {
    const read = createHistoryLog(home.files).read(home.paths.reservationsFile);
    return read.ok ? read.value.events : [];
  };
  const events = () => rows().flatMap((row) => (isByHand(row) ? [[row.type, row['reason']]] : []));
  return { home, start, clock, rows, events };
}

function isByHand({ id, holders }: HistoryEvent): boolean {
  return id !== undefined || holders !== undefined;
}

const BY_PAT = {
  kind: 'lock.reserve',
  project: 'shop',
  paths: ['src/ui/'],
  taskId: null,
  name: 'Pat',
  ttlMinutes: null,
} as const;
const BY_TASK = { ...BY_PAT, taskId: TASK_ID, name: null } as const;
const MINUTE = 60_000;

function planned(...touching: readonly string[]): TaskState {
  return buildTaskIn('working', { artifacts: { touching } });
}

describe('what Plans hold', () => {
  it.each([
    ['terminal', buildTaskIn('done')],
    ['requeued', buildTaskIn('pending')],
    ['stale-owner', null],
    ['explicit', buildTaskIn('working')],
  ] as const)('ORB-66 is written down when it is taken and when it ends: %s', (reason, task) => {
    const { start, rows } = openBook({ tasks: [planned('src/ui/')] });
    const { book, world } = start();
    book.tend();
    book.tend();
    if (task === null) world.removeTask(TASK_ID);
    else world.putTask(task);
    book.tend();
    expect(rows()).toMatchObject([
      { type: 'reservation.granted', task_id: TASK_ID, project: 'shop', paths: ['src/ui'] },
      { type: 'reservation.released', task_id: TASK_ID, reason },
    ]);
  });

  it('ORB-66 is written down anew when it changes, not at a restart, and is no lock by hand', () => {
    const { start, rows } = openBook({ tasks: [planned('src/ui/')] });
    start().book.tend();
    const { book, world } = start();
    book.tend();
    expect(rows()).toHaveLength(1);
    world.putTask(planned('src/ui/', 'docs/'));
    book.tend();
    expect(rows().map(({ paths }) => paths)).toEqual([['src/ui'], ['src/ui', 'docs']]);
    expect(world.locks.size).toBe(0);
  });
});

describe('what is reserved by hand', () => {
  it('ORB-65 outlives a restart, and is let go of on request', () => {
    const { start, events } = openBook();
    const made = start().book.reserve(BY_PAT);
    const { book, world } = start();
    expect([...world.locks.values()]).toMatchObject([{ id: 'lock-made1', name: 'Pat' }]);
    expect(made.ok && book.release(made.value.id).ok).toBe(true);
    expect(start().world.locks.size).toBe(0);
    expect(events()).toEqual([
      ['reservation.granted', undefined],
      ['reservation.released', 'explicit'],
    ]);
  });

  it('ORB-65 expires for a person when its time is over', () => {
    const { start, clock, events } = openBook();
    const { book, world } = start();
    book.reserve(BY_PAT);
    clock.advance(29 * MINUTE);
    expect(book.tend()).toBe(false);
    clock.advance(2 * MINUTE);
    expect(book.tend()).toBe(true);
    expect(world.locks.size).toBe(0);
    expect(events().at(-1)).toEqual(['reservation.expired', 'expired']);
  });

  it('ORB-65 is renewed for a task while the daemon runs, and expires only without one', () => {
    const { start, clock } = openBook({ tasks: [buildTaskIn('working')] });
    const { book, world } = start();
    book.reserve(BY_TASK);
    for (let minutes = 0; minutes < 120; minutes += 5) {
      clock.advance(5 * MINUTE);
      book.tend();
    }
    expect(world.locks.size).toBe(1);
    clock.advance(25 * MINUTE);
    expect(start().world.locks.size).toBe(1);
    clock.advance(40 * MINUTE);
    expect(start().world.locks.size).toBe(0);
  });

  it.each([
    ['terminal', buildTaskIn('done')],
    ['stale-owner', null],
    ['requeued', { ...buildTaskIn('pending'), statusSince: '2099-01-01T00:00:00.000Z' }],
  ] as const)('ORB-66 ends with its task: %s', (reason, task) => {
    const { start, events } = openBook({ tasks: [buildTaskIn('working')] });
    const { book, world } = start();
    book.reserve(BY_TASK);
    if (task === null) world.removeTask(TASK_ID);
    else world.putTask(task);
    expect(book.tend()).toBe(true);
    expect(events().at(-1)).toEqual(['reservation.released', reason]);
  });

  it('ORB-63 is state of the home, and no file of the task', () => {
    const { start, home } = openBook({ tasks: [buildTaskIn('working')] });
    start().book.reserve(BY_TASK);
    expect(home.files.stat(home.paths.reservationsFile)).toMatchObject({ value: { kind: 'file' } });
    expect(home.files.stat(home.paths.taskDir('shop', TASK_ID))).toMatchObject({
      value: { kind: 'absent' },
    });
  });

  it('ORB-64 is known by its project and its task: another project, or the task itself, is not in the way', () => {
    const { start } = openBook({ mode: 'block', tasks: [buildTaskIn('working')] });
    const { book, world } = start();
    world.replaceProjects([buildProject(), buildProject({ name: 'shed', path: '/shed' })]);
    const made = [BY_TASK, { ...BY_PAT, project: 'shed' }, BY_TASK, BY_PAT].map((request) =>
      book.reserve(request),
    );
    expect(made.map(({ ok }) => ok)).toEqual([true, true, true, false]);
    expect([...world.locks.values()]).toMatchObject([
      { project: 'shop', taskId: TASK_ID },
      { project: 'shed', taskId: null, name: 'Pat' },
      { project: 'shop', taskId: TASK_ID },
    ]);
  });

  it('ORB-69 needs a project, a task that goes on, and paths inside the repository', () => {
    const { book } = openBook().start();
    const cases = [{ ...BY_PAT, project: 'shed' }, BY_TASK, { ...BY_PAT, paths: ['../x'] }];
    expect(cases.map((request) => book.reserve(request).ok)).toEqual([false, false, false]);
  });

  it('ORB-66 is denied in block mode where others hold something of it, all of it at once', () => {
    const { start, events } = openBook({ mode: 'block' });
    const { book, world } = start();
    book.reserve(BY_PAT);
    const denied = book.reserve({ ...BY_PAT, name: 'Kim', paths: ['docs/', 'src/ui/a.ts'] });
    expect(denied).toMatchObject({
      failure: { kind: 'reserved', holders: ['Pat'], paths: ['src/ui/a.ts'] },
    });
    expect(world.locks.size).toBe(1);
    expect(events().at(-1)?.[0]).toBe('reservation.denied');
  });
});

describe('the record of what is reserved', () => {
  it('is cut when it has grown long, at the start and later, and loses nothing that is held', () => {
    const { home, start, rows } = openBook({ tasks: [planned('src/ui/')] });
    const first = start();
    first.book.tend();
    const made = first.book.reserve({ ...BY_PAT, paths: ['docs/'] });
    const size = (): number => {
      const state = home.files.stat(home.paths.reservationsFile);
      return state.ok && state.value.kind === 'file' ? state.value.stamp.size : 0;
    };
    const denied = { type: 'reservation.denied', timestamp: '2026-01-02T11:00:00.000Z' };
    const story = JSON.stringify({ ...denied, project: 'shop', paths: ['x'.repeat(1000)] });
    const lengthen = (): void => {
      const lines = Array.from({ length: 1200 }, () => story);
      expect(home.files.appendLines(home.paths.reservationsFile, lines).ok).toBe(true);
      expect(size()).toBeGreaterThan(1024 * 1024);
    };
    lengthen();
    const { book, world } = start();
    expect(size()).toBeLessThan(300 * 1024);
    expect([...world.locks.values()]).toEqual(made.ok ? [made.value] : []);
    book.tend();
    expect(rows().filter(({ type }) => type === 'reservation.granted')).toHaveLength(2);
    lengthen();
    expect(book.reserve(BY_PAT).ok).toBe(true);
    expect(size()).toBeLessThan(300 * 1024);
    expect(start().world.locks.size).toBe(2);
  });
});

it.each(['/etc/passwd', '../x'])(
  'asking who holds %s, which is in no repository, is refused',
  (path) => {
    const { book } = openBook().start();
    const question = { project: 'shop', taskId: null };
    expect(book.check({ ...question, paths: ['src/', path] })).toMatchObject({
      ok: false,
      failure: { kind: 'invalid-argument', value: path },
    });
    expect(book.check({ ...question, paths: ['src/'] })).toEqual({ ok: true, value: [] });
  },
);
