import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/api/client.js';
import type { StartedDaemon } from '../../src/api/ensure-daemon.js';
import { ensureDaemon } from '../../src/api/ensure-daemon.js';
import type { Result } from '../../src/domain/result.js';
import { failed, success } from '../../src/domain/result.js';
import { GREETING } from './rig.js';

const CLIENT: Client = {
  greeting: GREETING,
  call: async () => failed({ kind: 'internal', message: 'unused' }),
  subscribe: async () => failed({ kind: 'internal', message: 'unused' }),
  close: () => undefined,
};
const NOBODY = failed({ kind: 'daemon-unreachable', reason: 'ENOENT' });

function world(input: {
  readonly answersFromTry: number;
  readonly exit?: ReturnType<StartedDaemon['exit']>;
}) {
  const counts = { connects: 0, spawns: 0 };
  return {
    counts,
    connect: async (): Promise<Result<Client>> => {
      counts.connects += 1;
      return counts.connects >= input.answersFromTry ? success(CLIENT) : NOBODY;
    },
    spawn: async (): Promise<Result<StartedDaemon>> => {
      counts.spawns += 1;
      return success({ exit: () => input.exit ?? null });
    },
  };
}

describe('ensuring a daemon', () => {
  it('starts none when one answers', async () => {
    const rig = world({ answersFromTry: 1 });
    expect(await ensureDaemon(rig)).toEqual(success(CLIENT));
    expect(rig.counts).toEqual({ connects: 1, spawns: 0 });
  });

  it('starts one, once, and waits until it answers', async () => {
    const rig = world({ answersFromTry: 6 });
    expect(await ensureDaemon(rig)).toEqual(success(CLIENT));
    expect(rig.counts).toEqual({ connects: 6, spawns: 1 });
  });

  it('says what a daemon that ended at once left as its last line', async () => {
    const rig = world({ answersFromTry: 99, exit: { code: 1, lastLine: 'ENOSPC: no space' } });
    expect(await ensureDaemon(rig)).toEqual(
      failed({ kind: 'daemon-unreachable', reason: 'ENOSPC: no space' }),
    );
  });

  it('waits for the winner when its own daemon lost the race for the home', async () => {
    const rig = world({ answersFromTry: 5, exit: { code: 100, lastLine: 'home-locked' } });
    expect(await ensureDaemon(rig)).toEqual(success(CLIENT));
  });

  it('ends at the deadline', async () => {
    const rig = world({ answersFromTry: Number.POSITIVE_INFINITY });
    expect(await ensureDaemon({ ...rig, deadlineMs: 60 })).toEqual(NOBODY);
  });

  it('starts none beside a daemon of another version', async () => {
    const mismatch = failed({
      kind: 'protocol-mismatch',
      ours: 1,
      theirs: 2,
      theirVersion: '2.0.0',
      pid: 1,
    });
    const rig = world({ answersFromTry: 1 });
    expect(await ensureDaemon({ ...rig, connect: async () => mismatch })).toEqual(mismatch);
    expect(rig.counts.spawns).toBe(0);
  });
});
