import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TurnShare } from '../../src/daemon/turn-share.js';

function fail(): void {
  throw new Error('no');
}

describe('a share of the event loop', () => {
  it('does light work at once, in order', () => {
    const done: string[] = [];
    const share = new TurnShare(() => 0);
    for (const name of ['a', 'b', 'c']) share.do(() => done.push(name));
    expect(done).toEqual(['a', 'b', 'c']);
    share.close();
  });

  it('goes on with heavy work in the next turns, one piece in each', async () => {
    const done: string[] = [];
    let nowMs = 0;
    const share = new TurnShare(() => nowMs);
    for (const name of ['a', 'b', 'c']) {
      share.do(() => {
        nowMs += 20;
        done.push(name);
      });
    }
    expect(done).toEqual(['a']);
    await nextTurn();
    expect(done).toEqual(['a', 'b']);
    await nextTurn();
    expect(done).toEqual(['a', 'b', 'c']);
    share.close();
  });

  it('goes on after work that fails', async () => {
    const share = new TurnShare(() => 0);
    const done: string[] = [];
    expect(() => share.do(fail)).toThrow('no');
    share.do(() => done.push('next'));
    expect(done).toEqual(['next']);
    share.close();
  });

  it('drops what waits when it is closed', async () => {
    let nowMs = 0;
    const done: string[] = [];
    const share = new TurnShare(() => nowMs);
    for (const name of ['a', 'b']) {
      share.do(() => {
        nowMs += 20;
        done.push(name);
      });
    }
    share.close();
    await nextTurn();
    expect(done).toEqual(['a']);
  });
});
