import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/api/protocol.js';
import { failed, type Result, success } from '../../src/domain/result.js';
import type { Snapshot } from '../../src/domain/task-view.js';
import {
  type FeedState,
  type SnapshotFeed,
  startSnapshotFeed,
} from '../../src/tui/snapshot-feed.js';
import { snapshotOf, taskView } from './task-views.js';

const change = (id: string): Change => ({
  tasks: [taskView({ fields: { id } })],
  removed: [],
  projects: null,
  workspaces: null,
  problems: null,
});

function until(feed: SnapshotFeed, is: (state: FeedState) => boolean): Promise<FeedState> {
  return new Promise((resolve, reject) => {
    const check = () => {
      if (!is(feed.get())) return;
      clearTimeout(deadline);
      stop();
      resolve(feed.get());
    };
    const deadline = setTimeout(() => reject(new Error('the feed never got there')), 3000);
    const stop = feed.subscribe(check);
    check();
  });
}

describe('the snapshot feed', () => {
  it('applies a push that is read before the answer it follows', async () => {
    const feed = startSnapshotFeed({
      subscribe: async (onChange) => {
        onChange(change('early'));
        return success(snapshotOf([]));
      },
    });
    const state = await until(feed, ({ connection }) => connection.kind === 'live');
    expect(state.snapshot?.tasks).toHaveLength(1);
    feed.stop();
  });

  it('draws a burst of pushes together', async () => {
    const pushes: ((given: Change) => void)[] = [];
    const feed = startSnapshotFeed({
      subscribe: async (onChange) => {
        pushes.push(onChange);
        return success(snapshotOf([]));
      },
    });
    await until(feed, ({ connection }) => connection.kind === 'live');
    let updates = 0;
    feed.subscribe(() => {
      updates += 1;
    });
    for (let index = 0; index < 100; index += 1) pushes[0]?.(change(`t${index}`));
    await until(feed, ({ snapshot }) => snapshot?.tasks.length === 100);
    expect(updates).toBe(1);
    feed.stop();
  });

  it('subscribes again after the daemon went away, and ignores the old subscription', async () => {
    const subscriptions: { push: (given: Change) => void; close: () => void }[] = [];
    const answers: Result<Snapshot>[] = [
      success(snapshotOf([])),
      failed({ kind: 'daemon-unreachable', reason: 'gone' }),
    ];
    const feed = startSnapshotFeed(
      {
        subscribe: async (push, close) => {
          subscriptions.push({ push, close });
          return answers.shift() ?? success(snapshotOf([taskView()]));
        },
      },
      [1],
    );
    await until(feed, ({ connection }) => connection.kind === 'live');
    subscriptions[0]?.close();
    expect(feed.get()).toMatchObject({
      connection: { kind: 'lost', failure: null },
      snapshot: { tasks: [] },
    });
    await until(feed, ({ connection }) => connection.kind === 'live');
    subscriptions[0]?.push(change('ghost'));
    expect(subscriptions).toHaveLength(3);
    expect(feed.get().snapshot?.tasks).toHaveLength(1);
    feed.stop();
  });

  it('asks no more once it is stopped', async () => {
    let count = 0;
    const feed = startSnapshotFeed(
      {
        subscribe: async () => {
          count += 1;
          return failed({ kind: 'daemon-unreachable', reason: 'gone' });
        },
      },
      [1],
    );
    await until(feed, ({ connection }) => connection.kind === 'lost');
    feed.stop();
    const before = count;
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(count).toBe(before);
  });
});
