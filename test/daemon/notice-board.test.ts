import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NoticeBoard, type TaskNeed } from '../../src/daemon/notice-board.js';
import type { Notice } from '../../src/domain/notice.js';
import { temporaryHome } from '../record/temporary-home.js';
import { manualClock, memoryLog } from './daemon-home.js';

const SINCE = '2026-01-01T09:00:00.000Z';
const LATER = '2026-01-01T10:00:00.000Z';
const stalled = (since = SINCE): TaskNeed => ({ code: 'stalled', since, text: 'no sign of life' });

const asks = (text: string, about?: string): TaskNeed => {
  return { code: 'question', since: SINCE, text, ...(about === undefined ? {} : { about }) };
};

const unreadable = (text: string): TaskNeed => {
  return { code: 'unreadable', since: '', text, about: 'unreadable' };
};

/** A board whose time goes by only when the test says so. */
function openBoard(left: object | null = null) {
  const home = temporaryHome();
  if (left !== null) {
    home.files.replace(join(home.paths.home, 'notices.json'), JSON.stringify(left));
  }
  const clock = manualClock();
  const log = memoryLog();
  const needs = new Map<string, readonly TaskNeed[]>();
  const told: Notice[] = [];
  const state = { isBroken: false };
  const start = (): NoticeBoard => {
    const board = new NoticeBoard({
      files: home.files,
      path: join(home.paths.home, 'notices.json'),
      clock,
      log,
      needsOf: (taskId) => {
        const known = needs.get(taskId);
        if (known === undefined) return null;
        const isTask = !taskId.startsWith('/');
        const name = isTask ? `shop/${taskId}` : taskId;
        return { name, taskId: isTask ? taskId : null, needs: known };
      },
      tell: async (notice) => {
        if (state.isBroken) throw new Error('no desktop');
        told.push(notice);
      },
    });
    board.begin();
    return board;
  };
  let board = start();
  return {
    needs,
    told,
    log,
    state,
    post: (taskId: string, cause = 'stalled') => board.post(taskId, cause),
    /** What is found at each look around. */
    find: (subject: string) => {
      board.tidy();
      for (const need of needs.get(subject) ?? []) board.postNeed(subject, need);
    },
    pass: (ms: number) => {
      clock.advance(ms);
      board.flush();
    },
    tidy: () => board.tidy(),
    restart: () => {
      board.close();
      board = start();
    },
    [Symbol.dispose]: () => {
      board.close();
      home[Symbol.dispose]();
    },
  };
}

describe('the notice board', () => {
  it('tells a person once per task and cause, until the cause is over', () => {
    using board = openBoard();
    board.needs.set('a', [stalled()]);
    board.post('a');
    board.post('a');
    board.pass(1000);
    board.post('a');
    board.pass(600_000);
    expect(board.told).toEqual([
      { title: 'shop/a', text: 'no sign of life', taskId: 'a', cause: 'stalled', count: 1 },
    ]);
    board.needs.set('a', [stalled(LATER)]);
    board.post('a');
    board.pass(1000);
    expect(board.told).toHaveLength(2);
  });

  it('tells of a further question, though the task waits as before', () => {
    using board = openBoard();
    board.needs.set('a', [asks('first')]);
    board.post('a', 'clarification');
    board.pass(1000);
    board.needs.set('a', [asks('second', '2')]);
    board.restart();
    for (const _ of [1, 2]) {
      board.post('a', 'clarification');
      board.pass(1000);
      board.restart();
    }
    expect(board.told.map(({ text }) => text)).toEqual(['first', 'second']);
  });

  it('tells of what is found to be wrong once it has lasted, and not again while it does', () => {
    using board = openBoard();
    board.needs.set('a', [unreadable('line 3')]);
    board.find('a');
    board.pass(5000);
    expect(board.told).toEqual([]);
    board.find('a');
    board.pass(5000);
    expect(board.told).toMatchObject([{ cause: 'unreadable', text: 'line 3', taskId: 'a' }]);
    board.needs.set('a', [unreadable('line 4')]);
    board.find('a');
    board.restart();
    // The next daemon takes a moment to find it again.
    board.needs.set('a', []);
    board.find('a');
    board.needs.set('a', [unreadable('line 4')]);
    board.find('a');
    board.pass(600_000);
    expect(board.told).toHaveLength(1);
    board.needs.set('a', []);
    board.find('a');
    board.needs.set('a', [unreadable('line 5')]);
    board.find('a');
    board.pass(10_000);
    expect(board.told).toHaveLength(2);
  });

  it('tells soon after a restart, too, of what was mended and is wrong once more', () => {
    using board = openBoard();
    board.needs.set('a', [unreadable('line 3')]);
    board.find('a');
    board.pass(10_000);
    board.restart();
    board.find('a');
    board.needs.set('a', []);
    board.find('a');
    board.needs.set('a', [unreadable('line 5')]);
    board.find('a');
    board.pass(10_000);
    expect(board.told.map(({ text }) => text)).toEqual(['line 3', 'line 5']);
  });

  it('tells nothing of a file that is mended within seconds, such as by the save that goes on', () => {
    using board = openBoard();
    board.needs.set('a', [unreadable('torn')]);
    board.find('a');
    board.restart();
    board.pass(9000);
    board.needs.set('a', []);
    board.pass(60_000);
    expect(board.told).toEqual([]);
  });

  it('tells of what is no task by its path, and of many as things', () => {
    using board = openBoard();
    const broken = { ...unreadable('bad'), code: 'broken-file', about: 'broken-file' };
    for (const path of ['/h/config.yaml', '/h/projects.json', '/h/pool.json', 'a']) {
      board.needs.set(path, [broken]);
    }
    board.find('/h/config.yaml');
    board.pass(10_000);
    for (const path of ['/h/projects.json', '/h/pool.json', 'a']) board.find(path);
    board.pass(10_000);
    expect(board.told).toMatchObject([
      { title: '/h/config.yaml', taskId: null, cause: 'broken-file', count: 1 },
      { title: '3 things need you', taskId: null, cause: 'several', count: 3 },
    ]);
  });

  it('tells many at once in one notice', () => {
    using board = openBoard();
    for (let index = 1; index <= 7; index += 1) {
      board.needs.set(`t${index}`, [stalled()]);
      board.post(`t${index}`);
    }
    board.pass(1000);
    expect(board.told).toEqual([
      {
        title: '7 tasks need you',
        text: 'shop/t1, shop/t2, shop/t3, shop/t4 and 3 more; see: orange inbox',
        taskId: null,
        cause: 'several',
        count: 7,
      },
    ]);
  });

  it('is no storm: at most three times a minute, however much happens', () => {
    using board = openBoard();
    for (let index = 0; index < 100; index += 1) {
      board.needs.set(`t${index}`, [stalled()]);
      board.post(`t${index}`);
      board.pass(1000);
    }
    expect(board.told.length).toBeLessThanOrEqual(6);
    board.pass(60_000);
    board.pass(60_000);
    const tasks = board.told.reduce((sum, { count }) => sum + count, 0);
    expect(tasks).toBe(100);
  });

  it('does not tell what is over before it could be told', () => {
    using board = openBoard();
    board.needs.set('a', [{ code: 'waiting-for-human', since: SINCE, text: 'asks' }]);
    board.post('a', 'waiting-for-human');
    board.pass(5000);
    expect(board.told).toEqual([]);
    board.needs.set('a', []);
    board.pass(60_000);
    expect(board.told).toEqual([]);
  });

  it('tells of an agent that still waits after a moment', () => {
    using board = openBoard();
    board.needs.set('a', [{ code: 'waiting-for-human', since: SINCE, text: 'asks' }]);
    board.post('a', 'waiting-for-human');
    board.pass(10_000);
    expect(board.told).toMatchObject([{ text: 'asks' }]);
  });

  it.each([
    ['clarification', 'question'],
    ['reviewing', 'review'],
    ['not-delivered', 'undelivered'],
    ['stuck', 'stuck'],
  ])('names a cause as the inbox does, and takes its words from there: %s', (cause, code) => {
    using board = openBoard();
    board.needs.set('a', [stalled(), { code, since: SINCE, text: 'asks: red?' }]);
    board.post('a', cause);
    board.restart();
    board.post('a', cause);
    board.pass(1000);
    board.post('a', cause);
    board.pass(1000);
    expect(board.told).toMatchObject([{ text: 'asks: red?', cause: code }]);
  });

  it('does not repeat what an older orange told under another name', () => {
    using board = openBoard({
      notices: [{ task: 'a', cause: 'reviewing', since: SINCE, isTold: true }],
    });
    board.needs.set('a', [{ code: 'review', since: SINCE, text: 'done' }]);
    board.post('a', 'reviewing');
    board.pass(1000);
    expect(board.told).toEqual([]);
  });

  it('tells after a restart what was not told yet, and nothing a second time', () => {
    using board = openBoard();
    board.needs.set('a', [stalled()]);
    board.needs.set('b', [stalled()]);
    board.post('a');
    board.pass(1000);
    board.post('b');
    board.restart();
    board.post('a');
    board.pass(1000);
    expect(board.told.map(({ taskId }) => taskId)).toEqual(['a', 'b']);
  });

  it('forgets tasks that are over', () => {
    using board = openBoard();
    board.needs.set('a', [stalled()]);
    board.post('a');
    board.pass(1000);
    board.needs.delete('a');
    board.tidy();
    board.needs.set('a', [stalled()]);
    board.post('a');
    board.pass(1000);
    expect(board.told).toHaveLength(2);
  });

  it('lives on when a channel breaks', async () => {
    using board = openBoard();
    board.state.isBroken = true;
    board.needs.set('a', [stalled()]);
    board.post('a');
    board.pass(1000);
    await expect.poll(() => board.log.records).toMatchObject([{ event: 'notice.failed' }]);
  });
});
