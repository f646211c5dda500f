import { describe, expect, it } from 'vitest';
import { RetryBook } from '../../src/daemon/retry-book.js';
import type { Failure } from '../../src/domain/failure.js';
import { manualClock } from './daemon-home.js';

const UNUSABLE: Failure = { kind: 'worktree-unusable', workspace: 'w', reason: 'x' };
const OCCUPIED: Failure = { kind: 'worktree-occupied', worktree: 'w', pid: 7, command: 'vi' };

function refused(code: string): Failure {
  return { kind: 'io-failed', path: 'git', operation: 'run', code };
}

/** After how many seconds each it is tried again that fails so often. */
function pausesAfter(failure: Failure, tries: number): readonly number[] {
  const clock = manualClock();
  const book = new RetryBook(clock);
  return Array.from({ length: tries }, () => {
    book.fail('it', failure);
    let seconds = 0;
    for (; !book.isDue('it'); seconds += 1) clock.advance(1000);
    return seconds;
  });
}

describe('what could not be done', () => {
  it.each([
    ['F17 that has no descriptors is tried again within seconds', 'EMFILE', [1, 2, 2, 2, 2]],
    ['F13 that has no room is tried again within seconds', 'ENOSPC', [1, 2, 2, 2, 2]],
    [
      'F16 that the disk refuses is tried again soon, then ever less often',
      'EIO',
      [1, 2, 4, 8, 16],
    ],
  ])('%s', (_what, code, pauses) => {
    expect(pausesAfter(refused(code), 5)).toEqual(pauses);
  });

  it('for reasons of its own is tried ever less often, but each half hour for ever', () => {
    expect(pausesAfter(UNUSABLE, 8)).toEqual([30, 60, 120, 240, 480, 960, 1800, 1800]);
  });

  it('because somebody is in the way is tried steadily', () => {
    expect(pausesAfter(OCCUPIED, 4)).toEqual([30, 30, 30, 30]);
  });

  it('is news the first time, after a success, and when the reason is of another sort', () => {
    const book = new RetryBook(manualClock());
    const files = refused('EMFILE');
    expect([files, files, UNUSABLE, UNUSABLE].map((each) => book.fail('it', each))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    book.succeed('it');
    expect(book.fail('it', UNUSABLE)).toBe(true);
  });

  it('F17 is told of once when it is due, if only the machine stood in the way', () => {
    const clock = manualClock();
    const book = new RetryBook(clock);
    book.fail('it', refused('EMFILE'));
    book.fail('other', UNUSABLE);
    const told = [0, 999, 1, 0, 3_600_000].map((ms) => {
      clock.advance(ms);
      return book.takeHindered();
    });
    expect(told).toEqual([false, false, true, false, false]);
    book.fail('it', refused('EMFILE'));
    clock.advance(2000);
    expect(book.takeHindered()).toBe(true);
  });
});
