import { describe, expect, it } from 'vitest';
import { startAwakeTimer } from '../../src/adapters/awake-timer.js';

function holdUp(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

function expiry(limitMs: number): Promise<void> {
  return new Promise<void>((resolve) => void startAwakeTimer(limitMs, resolve));
}

describe('a time limit', () => {
  it('is kept by a process that is awake', async () => {
    const heard: string[] = [];
    setTimeout(() => heard.push('something sooner'), 100);
    await expiry(200);
    expect(heard).toEqual(['something sooner']);
  });

  it('does not run out while nobody could look, and leaves time for a look afterwards', async () => {
    const expired = expiry(200);
    const heard: string[] = [];
    void expired.then(() => heard.push('expired'));
    holdUp(600);
    // What had come meanwhile is read in the turn after.
    setTimeout(() => heard.push('answer'), 20);
    await expired;
    expect(heard[0]).toBe('answer');
  });

  it('does run out for a process that is held up again and again', async () => {
    const timer = setInterval(() => holdUp(120), 1);
    // That it comes at all is what is asked: it would wait for ever for a turn without a hold-up.
    await expiry(100);
    clearInterval(timer);
  });

  it('can be called off', async () => {
    let hasExpired = false;
    const callOff = startAwakeTimer(20, () => {
      hasExpired = true;
    });
    callOff();
    await expiry(100);
    expect(hasExpired).toBe(false);
  });
});
