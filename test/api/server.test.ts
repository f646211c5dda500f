import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createNetServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { connect } from '../../src/api/client.js';
import { encodeLine } from '../../src/api/framing.js';
import type { Change } from '../../src/api/protocol.js';
import { createServer } from '../../src/api/server.js';
import { failed, success } from '../../src/domain/result.js';
import { EMPTY, GREETING, NO_CHANGE, newDirectory, startServer, taskView, unwrap } from './rig.js';

const SILENT = { write: () => undefined };

describe('a conversation', () => {
  it('begins with the greeting', async () => {
    await using rig = await startServer();
    const client = await rig.connect();
    expect(client.greeting).toEqual(GREETING);
    client.close();
  });

  it('answers many calls at once, each to the call it belongs to', async () => {
    const waiting: (() => void)[] = [];
    await using rig = await startServer({
      onCall: async (call) => {
        if (call.method !== 'peek') return success(EMPTY);
        const lines = [call.taskId];
        await new Promise<void>((resolve) => waiting.push(resolve));
        return success({ lines });
      },
    });
    const client = await rig.connect();
    const ids = Array.from({ length: 50 }, (_, index) => `task${index}`);
    const answers = ids.map(async (taskId) => client.call({ method: 'peek', taskId, lines: 1 }));
    await vi.waitFor(() => expect(waiting).toHaveLength(50), 20_000);
    for (const release of waiting.toReversed()) release();
    expect((await Promise.all(answers)).map((answer) => unwrap(answer).lines[0])).toEqual(ids);
    client.close();
  });

  it('lets calls above the limit wait and loses none', async () => {
    await using rig = await startServer({
      limits: { maxOpenCalls: 3 },
      onCall: async () => success({ lines: [] }),
    });
    const client = await rig.connect();
    const answers = await Promise.all(
      Array.from({ length: 2000 }, async () =>
        client.call({ method: 'peek', taskId: 'a', lines: 1 }),
      ),
    );
    expect(answers.every((answer) => answer.ok)).toBe(true);
    client.close();
  });

  it('shows progress before the answer', async () => {
    await using rig = await startServer({
      onCall: async (_call, open) => {
        open.progress({ code: 'step', text: 'one' });
        open.progress({ code: 'step', text: 'two' });
        return success(null);
      },
    });
    const client = await rig.connect();
    const seen: string[] = [];
    const answer = await client.call(
      { method: 'stop' },
      { onProgress: (note) => seen.push(note.text) },
    );
    expect(answer).toEqual(success(null));
    expect(seen).toEqual(['one', 'two']);
    client.close();
  });

  it('carries failures as they are', async () => {
    const failure = { kind: 'not-found', what: 'task', name: 'x\u2028y' } as const;
    await using rig = await startServer({ onCall: async () => failed(failure) });
    const client = await rig.connect();
    expect(await client.call({ method: 'next' })).toEqual(failed(failure));
    client.close();
  });

  it('F77 turns an exception behind one call into a failure of that call only', async () => {
    await using rig = await startServer({
      onCall: async (call) => {
        if (call.method === 'next') throw new Error('boom');
        return success(EMPTY);
      },
    });
    const client = await rig.connect();
    expect(await client.call({ method: 'next' })).toEqual(
      failed({ kind: 'internal', message: 'boom' }),
    );
    expect(await client.call({ method: 'snapshot' })).toEqual(success(EMPTY));
    expect(rig.records[0]).toMatchObject({ event: 'api.bug', message: 'boom' });
    client.close();
  });

  it('answers a client that has already closed its sending side', async () => {
    await using rig = await startServer();
    const raw = rig.raw();
    raw.socket.end(encodeLine({ id: 1, call: { method: 'snapshot' } }));
    await raw.closed;
    expect(raw.text().trim().split('\n')).toHaveLength(2);
    expect(raw.text()).toContain('"id":1,"result"');
  });
});

describe('a subscription', () => {
  it('gives the snapshot first and then every change in order', async () => {
    await using rig = await startServer({
      onCall: async () => {
        rig.server.broadcast({ ...NO_CHANGE, removed: ['during'] });
        return success({ ...EMPTY, tasks: [taskView('a')] });
      },
    });
    const client = await rig.connect();
    const seen: string[] = [];
    const snapshot = await client.subscribe(
      (change: Change) => seen.push(...change.removed),
      () => undefined,
    );
    expect(unwrap(snapshot).tasks).toHaveLength(1);
    expect(seen).toEqual([]);
    for (let index = 0; index < 100; index += 1) {
      rig.server.broadcast({ ...NO_CHANGE, removed: [String(index)] });
    }
    await vi.waitFor(() => expect(seen).toHaveLength(101), 20_000);
    expect(seen).toEqual(['during', ...Array.from({ length: 100 }, (_, index) => String(index))]);
    client.close();
  });

  it('says when it ends because the daemon went away', async () => {
    const rig = await startServer();
    const client = await rig.connect();
    const ended = new Promise((resolve) => {
      void client.subscribe(() => undefined, resolve).then(async () => rig.server.close());
    });
    expect(await ended).toEqual({ kind: 'daemon-unreachable', reason: 'connection-closed' });
    await rig[Symbol.asyncDispose]();
  });

  it('F28 drops a subscriber that does not read, keeps memory bounded and serves the others', async () => {
    await using rig = await startServer();
    const slow = rig.raw();
    slow.socket.write(encodeLine({ id: 1, call: { method: 'subscribe' } }));
    await vi.waitFor(() => expect(slow.text()).toContain('"id":1'), 20_000);
    slow.socket.pause();
    const reader = await rig.connect();
    let received = 0;
    unwrap(
      await reader.subscribe(
        () => (received += 1),
        () => undefined,
      ),
    );
    const change = { ...NO_CHANGE, tasks: [taskView('a', 'x'.repeat(1024 * 1024))] };
    for (let sent = 1; sent <= 100; sent += 1) {
      rig.server.broadcast(change);
      await vi.waitFor(() => expect(received).toBe(sent), { interval: 1 });
    }
    expect(rig.server.connections()).toBe(1);
    expect(rig.records).toContainEqual(expect.objectContaining({ reason: 'slow-reader' }));
    slow.socket.destroy();
    reader.close();
  });

  it('drops a reader that never takes its answer', async () => {
    const summary = 'x'.repeat(4 * 1024 * 1024);
    await using rig = await startServer({
      limits: { patienceMs: 200 },
      onCall: async () => success({ ...EMPTY, tasks: [taskView('a', summary)] }),
    });
    const slow = rig.raw();
    slow.socket.pause();
    slow.socket.write(encodeLine({ id: 1, call: { method: 'snapshot' } }));
    await vi.waitFor(
      () => expect(rig.records).toContainEqual(expect.objectContaining({ reason: 'slow-reader' })),
      20_000,
    );
    expect(rig.server.connections()).toBe(0);
    slow.socket.destroy();
  });
});

describe('the socket', () => {
  it('F26 is 0600 in a 0700 directory even under umask 000', async () => {
    const before = process.umask(0);
    try {
      await using rig = await startServer();
      expect(statSync(rig.socketPath).mode & 0o777).toBe(0o600);
      expect(statSync(dirname(rig.socketPath)).mode & 0o777).toBe(0o700);
      expect(process.umask()).toBe(0);
    } finally {
      process.umask(before);
    }
  });

  it('F26 makes a directory private that was open to all', async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'run'), { mode: 0o777 });
    await using rig = await startServer({ socketPath: join(directory, 'run', 'daemon.sock') });
    expect(statSync(dirname(rig.socketPath)).mode & 0o777).toBe(0o700);
  });

  it('F25 is refused before listening when its path has more than 103 bytes', async () => {
    const directory = newDirectory();
    const fill = 103 - Buffer.byteLength(join(directory, '', 's')) - 1;
    const options = { greeting: GREETING, onCall: async () => success(EMPTY), log: SILENT };
    const long = join(directory, 'd'.repeat(fill + 1), 's');
    expect(await createServer({ ...options, socketPath: long })).toEqual(
      failed({ kind: 'path-too-long', path: long, max: 103 }),
    );
    expect(existsSync(dirname(long))).toBe(false);
    expect(await connect({ socketPath: long, timeoutMs: 100 })).toMatchObject({
      failure: { kind: 'path-too-long' },
    });
    const fits = join(directory, 'é'.repeat(8), 'daemon.sock');
    const server = unwrap(await createServer({ ...options, socketPath: fits }));
    unwrap(await connect({ socketPath: fits, timeoutMs: 1000 })).close();
    await server.close();
  });

  it('F24 replaces one that a dead daemon left behind', async () => {
    const directory = newDirectory();
    const socketPath = join(directory, 'daemon.sock');
    const dead = createNetServer();
    await new Promise<void>((resolve) => dead.listen({ path: join(directory, 'x') }, resolve));
    renameSync(join(directory, 'x'), socketPath);
    await new Promise((resolve) => dead.close(resolve));
    expect(await connect({ socketPath, timeoutMs: 1000 })).toEqual(
      failed({ kind: 'daemon-unreachable', reason: 'ECONNREFUSED' }),
    );
    await using rig = await startServer({ socketPath });
    (await rig.connect()).close();
  });

  it('never replaces a file that is not a socket', async () => {
    const socketPath = join(newDirectory(), 'daemon.sock');
    writeFileSync(socketPath, 'precious');
    const options = { greeting: GREETING, onCall: async () => success(EMPTY), log: SILENT };
    expect(await createServer({ ...options, socketPath })).toMatchObject({
      failure: { kind: 'io-failed', code: 'EEXIST' },
    });
    expect(statSync(socketPath).size).toBe(8);
  });

  it('is gone after closing, unless it is a successor’s', async () => {
    const first = await startServer();
    const second = await startServer({ socketPath: first.socketPath });
    await first.server.close();
    (await second.connect()).close();
    await second.server.close();
    expect(existsSync(first.socketPath)).toBe(false);
    await first[Symbol.asyncDispose]();
  });
});

describe('closing', () => {
  it('gives open calls their answers', async () => {
    const releases: (() => void)[] = [];
    await using rig = await startServer({
      onCall: async () => {
        await new Promise<void>((resolve) => releases.push(resolve));
        return success(EMPTY);
      },
    });
    const client = await rig.connect();
    const answer = client.call({ method: 'snapshot' });
    await vi.waitFor(() => expect(releases).toHaveLength(1), 20_000);
    const closing = rig.server.close();
    expect(await client.call({ method: 'next' })).toEqual(
      failed({ kind: 'daemon-unreachable', reason: 'stopping' }),
    );
    releases[0]?.();
    expect(await answer).toEqual(success(EMPTY));
    await closing;
  });

  it('does not wait for ever for a call that does not end', async () => {
    await using rig = await startServer({
      limits: { closeMs: 100 },
      onCall: async () => new Promise(() => undefined),
    });
    const client = await rig.connect();
    const answer = client.call({ method: 'snapshot' });
    await new Promise(setImmediate);
    await rig.server.close();
    expect(await answer).toMatchObject({ failure: { kind: 'daemon-unreachable' } });
  });
});
