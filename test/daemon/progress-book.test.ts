import { describe, expect, it } from 'vitest';
import type { Note } from '../../src/api/protocol.js';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { ProgressBook } from '../../src/daemon/progress-book.js';
import type { Effect } from '../../src/domain/effect.js';
import { TASK_ID } from '../builders/task.js';

const MEASURE: Effect = { kind: 'measure-drift', taskId: TASK_ID };

function following() {
  const world = new LiveWorld();
  const heard: Note[] = [];
  let published = 0;
  const book = new ProgressBook({ world, publish: () => void (published += 1) });
  book.listen('r1', (note) => void heard.push(note));
  return { book, world, heard, publishedTimes: () => published };
}

describe('the progress of a request', () => {
  it('is told to whoever waits for it, by effect and by step', () => {
    const { book, heard } = following();
    book.begin('r1', MEASURE);
    book.tell(TASK_ID, 'setting up (npm ci)');
    expect(heard).toEqual([
      { code: 'measure-drift', text: 'looking at what changed' },
      { code: 'step', text: 'setting up (npm ci)' },
    ]);
  });

  it.each([
    ['of a task that nobody asked for', (book: ProgressBook) => book.begin('r2', MEASURE)],
    ['of another task', (book: ProgressBook) => book.begin('r1', { ...MEASURE, taskId: 'other' })],
    [
      'after it was answered',
      (book: ProgressBook) => {
        book.begin('r1', MEASURE);
        book.forget('r1');
      },
    ],
  ])('has no step %s', (_what, arrange) => {
    const { book, heard } = following();
    arrange(book);
    heard.length = 0;
    book.tell(TASK_ID, 'setting up (npm ci)');
    expect(heard).toEqual([]);
  });

  it('is shown to every view until the step is over', () => {
    const { book, world, publishedTimes } = following();
    book.tell(TASK_ID, 'setting up (npm ci)');
    expect(world.steps.get(TASK_ID)).toBe('setting up (npm ci)');
    expect([...world.touched]).toEqual([TASK_ID]);
    book.tell(TASK_ID, null);
    expect(world.steps.size).toBe(0);
    expect(publishedTimes()).toBe(2);
  });

  it('goes to the request for which something was done last', () => {
    const { book, heard } = following();
    const later: Note[] = [];
    book.listen('r2', (note) => void later.push(note));
    book.begin('r1', MEASURE);
    book.begin('r2', MEASURE);
    heard.length = 0;
    book.tell(TASK_ID, 'x');
    expect([heard.length, later.at(-1)?.text]).toEqual([0, 'x']);
    book.forget('r1');
    book.tell(TASK_ID, 'y');
    expect(later.at(-1)?.text).toBe('y');
  });
});
