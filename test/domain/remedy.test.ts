import { describe, expect, it } from 'vitest';
import { remedyFor, untoldRemedy } from '../../src/domain/remedy.js';
import { waitingTask } from '../tui/task-views.js';

const task = waitingTask('search');

describe('the command that helps a waiting task', () => {
  it.each([
    ['held', 'orange task release shop/search'],
    ['backlog', 'orange task update shop/search --queue active'],
    ['blocked', 'orange task unblock shop/search BLOCKER'],
    ['dead-end', 'orange task unblock shop/search BLOCKER'],
    ['pool-full', 'orange project update shop --pool-size N'],
    ['global-limit', null],
    ['starting', null],
  ])('of %s is %s', (code, command) => {
    expect(remedyFor({ code, message: 'so it is' }, task)).toBe(command);
  });

  it('is the one that settles it, where there is one', () => {
    const reason = { code: 'dead-end', message: 'x', settle: 'orange task unblock shop/search a' };
    expect(remedyFor(reason, task)).toBe(reason.settle);
  });

  it('leaves out the name of an only blocker', () => {
    const blocked = waitingTask('search', [], { blocked_by: ['login'] });
    const reason = { code: 'blocked', message: 'blocked by login (working)' };
    expect(remedyFor(reason, blocked)).toBe('orange task unblock shop/search');
  });

  it('starts what was made with --no-spawn', () => {
    const made = waitingTask('search', [], { hold: 'not spawned' });
    const reason = { code: 'held', message: 'held: not spawned' };
    expect(remedyFor(reason, made)).toBe('orange task spawn shop/search');
  });

  it('is not told twice', () => {
    const message = 'in use: orange project update shop --pool-size 3';
    expect(untoldRemedy({ code: 'pool-full', message }, task)).toBeNull();
  });
});
