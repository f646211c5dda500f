import { describe, expect, it } from 'vitest';
import { TaskStops } from '../../src/daemon/task-stops.js';

const CANCEL = { kind: 'task.cancel', taskId: 'a', reason: null } as const;
const isWanted = async (signal: AbortSignal): Promise<boolean> => !signal.aborted;

describe('what runs for a task that is to be cancelled', () => {
  it('is stopped, and what runs for others is not', async () => {
    const stops = new TaskStops();
    const seen: string[] = [];
    const work = (id: string) => async (signal: AbortSignal) => {
      signal.addEventListener('abort', () => seen.push(id));
      await Promise.resolve();
    };
    const running = Promise.all([stops.during('a', work('a')), stops.during('b', work('b'))]);
    stops.heed(CANCEL);
    await running;
    expect(seen).toEqual(['a']);
  });

  it('does not even begin, such as a set-up whose worktree was being bound', async () => {
    const stops = new TaskStops();
    stops.heed(CANCEL);
    expect(await stops.during('a', isWanted)).toBe(false);
    expect(await stops.during('b', isWanted)).toBe(true);
  });

  it('may run again once the wish was dealt with', async () => {
    const stops = new TaskStops();
    stops.heed(CANCEL);
    stops.forget('a');
    expect(await stops.during('a', isWanted)).toBe(true);
  });
});
