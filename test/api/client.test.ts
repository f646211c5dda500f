import { createServer as createNetServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { connect } from '../../src/api/client.js';
import { encodeLine } from '../../src/api/framing.js';
import { failed, success } from '../../src/domain/result.js';
import { EMPTY, GREETING, newDirectory, startServer, unwrap } from './rig.js';

/** Something that listens like a daemon and then does as it pleases. */
async function startImpostor(
  onSocket: (socket: Socket) => void,
): Promise<AsyncDisposable & { readonly socketPath: string }> {
  const socketPath = join(newDirectory(), 's');
  const sockets: Socket[] = [];
  const net = createNetServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => net.listen({ path: socketPath }, resolve));
  return {
    socketPath,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => net.close(resolve));
    },
  };
}

describe('a client', () => {
  it('finds no daemon where there is no socket', async () => {
    const socketPath = join(newDirectory(), 's');
    expect(await connect({ socketPath, timeoutMs: 1000 })).toEqual(
      failed({ kind: 'daemon-unreachable', reason: 'ENOENT' }),
    );
  });

  it('F74 refuses a daemon that speaks another protocol', async () => {
    await using impostor = await startImpostor((socket) =>
      socket.write(encodeLine({ orange: '9.9.9', protocol: 99, pid: 1 })),
    );
    expect(await connect({ socketPath: impostor.socketPath, timeoutMs: 1000 })).toEqual(
      failed({ kind: 'protocol-mismatch', ours: 1, theirs: 99, theirVersion: '9.9.9', pid: 1 }),
    );
  });

  it('gives up on a daemon that is stopped', async () => {
    await using impostor = await startImpostor(() => undefined);
    expect(await connect({ socketPath: impostor.socketPath, timeoutMs: 50 })).toEqual(
      failed({ kind: 'daemon-unreachable', reason: 'no-greeting-in-time' }),
    );
  });

  it.each(['{}\n', 'SSH-2.0-OpenSSH\n', '[]\n'])('is not taken in by %j', async (line) => {
    await using impostor = await startImpostor((socket) => socket.write(line));
    expect(await connect({ socketPath: impostor.socketPath, timeoutMs: 1000 })).toMatchObject({
      failure: { kind: 'daemon-unreachable' },
    });
  });

  it('fails every open call when the connection drops', async () => {
    await using impostor = await startImpostor((socket) => {
      socket.write(encodeLine(GREETING));
      socket.on('data', (chunk: Buffer) => {
        if (chunk.includes('stop')) socket.destroy();
      });
    });
    const client = unwrap(await connect({ socketPath: impostor.socketPath, timeoutMs: 1000 }));
    const answers = await Promise.all([
      client.call({ method: 'next' }),
      client.call({ method: 'snapshot' }),
      client.call({ method: 'stop' }),
    ]);
    const gone = failed({ kind: 'daemon-unreachable', reason: 'connection-closed' });
    expect(answers).toEqual([gone, gone, gone]);
    expect(await client.call({ method: 'next' })).toEqual(gone);
  });

  it('F17 is turned away by a daemon that has no file left for it', async () => {
    await using impostor = await startImpostor((socket) => void socket.destroy());
    const contact = await connect({ socketPath: impostor.socketPath, timeoutMs: 20_000 });
    expect(contact).toEqual(failed({ kind: 'daemon-unreachable', reason: 'turned-away' }));
  });

  it('breaks off when the daemon answers nonsense', async () => {
    await using impostor = await startImpostor((socket) => {
      socket.write(encodeLine(GREETING));
      socket.on('data', () => socket.write('{"id":1}\n'));
    });
    const client = unwrap(await connect({ socketPath: impostor.socketPath, timeoutMs: 1000 }));
    expect(await client.call({ method: 'next' })).toEqual(
      failed({ kind: 'daemon-unreachable', reason: 'malformed-answer' }),
    );
  });

  it('stops waiting for one call at its time limit and goes on with the others', async () => {
    await using rig = await startServer({
      onCall: async (call) =>
        call.method === 'next' ? new Promise(() => undefined) : success(EMPTY),
    });
    const client = await rig.connect();
    expect(await client.call({ method: 'next' }, { timeoutMs: 50 })).toEqual(
      failed({ kind: 'waited-too-long', what: 'next', timeoutSeconds: 0.05 }),
    );
    expect(await client.call({ method: 'snapshot' })).toEqual(success(EMPTY));
    client.close();
  });

  it('does not send what the daemon would not take', async () => {
    await using rig = await startServer();
    const client = await rig.connect();
    const request = { kind: 'task.send', taskId: 'a', text: 'x'.repeat(2_000_000) } as const;
    expect(await client.call({ method: 'submit', actor: 'human', request })).toMatchObject({
      failure: { kind: 'invalid-argument' },
    });
    expect(await client.call({ method: 'snapshot' })).toEqual(success(EMPTY));
    client.close();
  });

  it('is told by a full daemon why its calls fail', async () => {
    await using rig = await startServer({ limits: { maxConnections: 1 } });
    const first = await rig.connect();
    const second = await rig.connect();
    expect(await second.call({ method: 'next' })).toEqual(
      failed({ kind: 'daemon-unreachable', reason: 'too-many-connections' }),
    );
    first.close();
  });

  it('does not report its own leaving as a loss', async () => {
    await using rig = await startServer();
    const client = await rig.connect();
    const onClosed = vi.fn<() => void>();
    unwrap(await client.subscribe(() => undefined, onClosed));
    client.close();
    await vi.waitFor(() => expect(rig.server.connections()).toBe(0), 20_000);
    expect(onClosed).not.toHaveBeenCalled();
  });
});
