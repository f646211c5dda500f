import { describe, expect, it } from 'vitest';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { TerminalWatch } from '../../src/daemon/terminal-watch.js';
import { failed, success } from '../../src/domain/result.js';
import type { TerminalSource } from '../../src/domain/source-health.js';
import type { LiveSession } from '../../src/ports.js';
import { buildTask } from '../builders/task.js';
import { createFakeClock } from '../fakes/fake-watching.js';

const since = '2026-01-01T00:00:00.000Z';
const HANGS = { kind: 'command-timed-out', program: 'tmux', action: '', timeoutMs: 5000 } as const;

function setUp(sessions: readonly LiveSession[] | null) {
  const world = new LiveWorld();
  const gone: string[] = [];
  const renamed: string[] = [];
  let state: TerminalSource = { state: 'connected', since };
  let unknowns = 0;
  let listings = 0;
  let looksAtSocket = 0;
  const clock = createFakeClock();
  for (const id of ['one', 'two']) {
    const worker = { kind: 'live', launchId: `launch-${id}`, window: 'worker' } as const;
    const fields = { id, workspace: `shop--${id}`, tmux_session: `shop/${id}` };
    world.putTask(buildTask({ fields, worker }));
  }
  const watch = new TerminalWatch({
    world,
    active: new Set(['one', 'two']),
    clock,
    log: { write: () => undefined },
    sessions: {
      list: async () => {
        listings += 1;
        return sessions === null ? failed(HANGS) : success(sessions);
      },
      renameSession: async (taskId, name) => {
        renamed.push(`${taskId} ${name}`);
        return success(undefined);
      },
      events: {
        socket: '/h/run/tmux.sock',
        follow: () => undefined,
        state: () => state,
        keepSocket: async () => {
          looksAtSocket += 1;
        },
      },
    },
    onGone: (taskId) => gone.push(taskId),
    onUnknown: () => {
      unknowns += 1;
    },
  });
  return {
    world,
    watch,
    gone,
    renamed,
    clock,
    listings: () => listings,
    looksAtSocket: () => looksAtSocket,
    unknowns: () => unknowns,
    become: (next: TerminalSource) => {
      state = next;
      watch.onState(next);
    },
  };
}

function session(id: string, name = `shop/${id}`): LiveSession {
  const launches = [{ window: 'worker', launchId: `launch-${id}` }];
  return { session: name, taskId: id, windows: ['worker'], launches };
}

describe('following the terminals', () => {
  it('looks at the task whose window closed', () => {
    const { watch, gone } = setUp([]);
    watch.onWindowClosed('one');
    expect(gone).toEqual(['one']);
  });

  it('finds out by a listing whose window it was, when nobody knows', async () => {
    const { watch, gone } = setUp([session('two')]);
    watch.onWindowClosed(null);
    await expect.poll(() => gone).toEqual(['one']);
  });

  it.each([
    ['each 5 s with few', 2, 5000],
    ['less often with many', 100, 10_000],
    ['at least each 15 s', 1000, 15_000],
  ])('lists the terminals unasked: %s', async (_name, count, everyMs) => {
    const sessions = Array.from({ length: count }, (_, index) => session(`other-${index}`));
    const { watch, clock, listings } = setUp(sessions);
    watch.tend();
    await expect.poll(listings).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    clock.pass(everyMs - 1);
    watch.tend();
    expect(listings()).toBe(1);
    clock.pass(1);
    watch.tend();
    expect(listings()).toBe(2);
  });

  it('F54 looks after the socket file at each listing, and at once when it may have changed', async () => {
    const { watch, looksAtSocket } = setUp([session('one'), session('two')]);
    watch.tend();
    await expect.poll(looksAtSocket).toBe(1);
    watch.tend();
    watch.noteFile('/h/run/notices.json');
    expect(looksAtSocket()).toBe(1);
    watch.noteFile('/h/run/tmux.sock');
    expect(looksAtSocket()).toBe(2);
  });

  it('F55 takes nobody for gone when the server does not answer', async () => {
    const { watch, gone, become, unknowns } = setUp(null);
    watch.tend();
    watch.onWindowClosed(null);
    become({ state: 'down', since, reason: 'no answer' });
    expect(unknowns()).toBe(1);
    expect(gone).toEqual([]);
    expect(watch.isTrusted()).toBe(false);
  });

  it('F53 has everything looked at when the connection goes and when it comes', () => {
    const { become, unknowns } = setUp([session('one'), session('two')]);
    become({ state: 'down', since, reason: 'server exited unexpectedly' });
    become({ state: 'connecting', since });
    become({ state: 'connected', since });
    expect(unknowns()).toBe(2);
  });

  it('F59 gives a session that somebody renamed its recorded name back', async () => {
    const { watch, renamed, gone } = setUp([session('one', 'mine now'), session('two')]);
    watch.onRenamed();
    await expect.poll(() => renamed).toEqual(['one shop/one']);
    expect(gone).toEqual([]);
  });

  it('trusts that there is nothing to hear only while no agent is known to live', () => {
    const { watch, world, become } = setUp([]);
    become({ state: 'no-server', since });
    expect(watch.isTrusted()).toBe(false);
    world.removeTask('one');
    world.removeTask('two');
    expect(watch.isTrusted()).toBe(true);
  });

  it('F55 knows how the server gets on once it was let in, or when there is none', () => {
    const { watch, become } = setUp([]);
    const known = (state: TerminalSource): boolean => {
      become(state);
      return watch.isServerKnown();
    };
    expect(known({ state: 'connected', since })).toBe(true);
    expect(known({ state: 'down', since, reason: 'server exited' })).toBe(false);
    expect(known({ state: 'connecting', since })).toBe(false);
    expect(known({ state: 'no-server', since })).toBe(true);
  });
});
