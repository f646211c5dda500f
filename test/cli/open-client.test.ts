import { describe, expect, it } from 'vitest';
import { openClients, type ClientParts } from '../../src/cli/open-client.js';
import { failed, success } from '../../src/domain/result.js';
import { fakeClient } from '../fakes/fake-client.js';
import { snapshotOf, taskView } from '../tui/task-views.js';

const NOBODY = failed({ kind: 'daemon-unreachable', reason: 'ENOENT' });
const FROM_DAEMON = snapshotOf([taskView()]);
const FROM_RECORD = snapshotOf([]);

function rig(overrides: Partial<ClientParts> = {}) {
  const counts = { connects: 0, spawns: 0, starts: 0 };
  const client = fakeClient(() => FROM_DAEMON);
  let isUp = true;
  const clients = openClients({
    socketPath: '/s',
    connect: async () => {
      counts.connects += 1;
      return isUp ? success(client) : NOBODY;
    },
    spawn: async () => {
      counts.spawns += 1;
      isUp = true;
      return success({ exit: () => null });
    },
    readHome: async () => success(FROM_RECORD),
    onStarting: () => {
      counts.starts += 1;
    },
    onSilent: () => undefined,
    holderPid: async () => null,
    replacing: null,
    ...overrides,
  });
  return {
    clients,
    client,
    counts,
    goDown: () => {
      isUp = false;
    },
  };
}

describe('reading', () => {
  it('asks the daemon when it runs, over one conversation', async () => {
    const { clients, counts } = rig();
    expect(await clients.snapshot()).toEqual(success(FROM_DAEMON));
    expect(await clients.snapshot()).toEqual(success(FROM_DAEMON));
    expect(counts).toEqual({ connects: 1, spawns: 0, starts: 0 });
  });

  it('reads the record when no daemon runs, and starts none', async () => {
    const { clients, counts, goDown } = rig();
    goDown();
    expect(await clients.snapshot()).toEqual(success({ ...FROM_RECORD, isUnsupervised: true }));
    expect(await clients.runningClient()).toEqual(success(null));
    expect(counts.spawns).toBe(0);
  });

  it('reads the record beside a daemon of another version', async () => {
    const mismatch = failed({
      kind: 'protocol-mismatch',
      ours: 1,
      theirs: 2,
      theirVersion: '2',
      pid: 1,
    });
    const { clients } = rig({ connect: async () => mismatch });
    expect(await clients.snapshot()).toEqual(success(FROM_RECORD));
    expect(await clients.runningClient()).toEqual(mismatch);
  });
});

describe('changing', () => {
  it('names the daemon that lives and does not answer, instead of telling to start one', async () => {
    const silent: number[] = [];
    const { clients, counts } = rig({
      connect: async () => failed({ kind: 'daemon-unreachable', reason: 'no-greeting-in-time' }),
      spawn: async () => success({ exit: () => ({ code: 1, lastLine: 'taken' }) }),
      holderPid: async () => 77,
      onSilent: (pid) => silent.push(pid),
    });
    expect(await clients.client()).toEqual(
      failed({ kind: 'daemon-unreachable', reason: 'taken', pid: 77 }),
    );
    expect(silent).toEqual([77]);
    expect(counts.starts).toBe(0);
  });

  it('starts the daemon when it does not run', async () => {
    const { clients, counts, goDown } = rig();
    goDown();
    expect((await clients.client()).ok).toBe(true);
    expect(counts).toMatchObject({ spawns: 1, starts: 1 });
  });

  it('dials again after a conversation has ended', async () => {
    const { clients, client, counts } = rig();
    const first = await clients.runningClient();
    if (!first.ok || first.value === null) throw new Error('no client');
    await first.value.subscribe(
      () => undefined,
      () => undefined,
    );
    client.end();
    await clients.runningClient();
    expect(counts.connects).toBe(2);
  });
});
