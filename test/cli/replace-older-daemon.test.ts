import { describe, expect, it } from 'vitest';
import { openClients } from '../../src/cli/open-client.js';
import { DONE, failed, success, type Result } from '../../src/domain/result.js';
import type { Client } from '../../src/api/client.js';
import { fakeClient } from '../fakes/fake-client.js';
import { snapshotOf } from '../tui/task-views.js';

const OURS = '1.2.3';
const STAYS = { kind: 'waited-too-long', what: 'The end', timeoutSeconds: 15 } as const;

function daemonOf(version: string): Client {
  const client = fakeClient(() => snapshotOf([]));
  return { ...client, greeting: { ...client.greeting, orange: version, pid: 77 } };
}

function rig(first: Result<Client>, end: Result<void> = DONE) {
  const log: string[] = [];
  let contact = first;
  const clients = openClients({
    socketPath: '/s',
    connect: async () => contact,
    spawn: async () => {
      log.push('start');
      contact = success(daemonOf(OURS));
      return success({ exit: () => null });
    },
    readHome: async () => success(snapshotOf([])),
    onStarting: () => undefined,
    onSilent: () => undefined,
    holderPid: async () => null,
    replacing: {
      version: OURS,
      end: async (pid) => {
        log.push(`end ${pid}`);
        if (end.ok) contact = failed({ kind: 'daemon-unreachable', reason: 'ENOENT' });
        return end;
      },
      onReplacing: (version) => log.push(`replace ${version}`),
    },
  });
  return { clients, log };
}

const foreign = (theirVersion: string): Result<Client> =>
  failed({ kind: 'protocol-mismatch', ours: 1, theirs: 7, theirVersion, pid: 88 });

describe('a daemon of another version', () => {
  it('F74 that is older gives way to this one', async () => {
    const { clients, log } = rig(success(daemonOf('1.2.2')));
    const client = await clients.client();
    expect(client.ok && client.value.greeting.orange).toBe(OURS);
    expect(log).toEqual(['replace 1.2.2', 'end 77', 'start']);
  });

  it('F74 that is older and speaks another protocol gives way too', async () => {
    const { clients, log } = rig(foreign('0.9.0'));
    expect((await clients.client()).ok).toBe(true);
    expect(log).toEqual(['replace 0.9.0', 'end 88', 'start']);
  });

  it('F74 that is newer is left alone: it answers, or its protocol is named', async () => {
    const newer = rig(success(daemonOf('2.0.0')));
    expect((await newer.clients.client()).ok).toBe(true);
    expect(newer.log).toEqual([]);
    const strange = rig(foreign('2.0.0'));
    expect(await strange.clients.client()).toEqual(foreign('2.0.0'));
    expect(strange.log).toEqual([]);
  });

  it('F74 that is older gives way also after something was looked up in it', async () => {
    const { clients, log } = rig(success(daemonOf('1.2.2')));
    expect((await clients.snapshot()).ok).toBe(true);
    const client = await clients.client();
    expect(client.ok && client.value.greeting.orange).toBe(OURS);
    expect(log).toEqual(['replace 1.2.2', 'end 77', 'start']);
    expect((await clients.client()).ok).toBe(true);
    expect(log).toHaveLength(3);
  });

  it('F74 that is older stays where it cannot be ended, and the command says so', async () => {
    const { clients, log } = rig(success(daemonOf('1.2.2')), failed(STAYS));
    await clients.snapshot();
    expect(await clients.client()).toEqual(failed(STAYS));
    expect(log).toEqual(['replace 1.2.2', 'end 77']);
  });

  it('F74 is left alone by whoever only reads', async () => {
    const { clients, log } = rig(success(daemonOf('1.2.2')));
    expect((await clients.snapshot()).ok).toBe(true);
    expect(log).toEqual([]);
  });
});
