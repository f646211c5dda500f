import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { Client } from '../../src/api/client.js';
import { encodeLine } from '../../src/api/framing.js';
import { success } from '../../src/domain/result.js';
import { EMPTY, startServer, unwrap } from './rig.js';
import type { RawClient, ServerRig } from './rig.js';

async function expectUnharmed(rig: ServerRig): Promise<void> {
  const client = await rig.connect();
  expect(await client.call({ method: 'snapshot' })).toEqual(success(EMPTY));
  client.close();
}

function lastMessage(raw: RawClient): unknown {
  return JSON.parse(raw.text().trim().split('\n').at(-1) ?? '') as unknown;
}

describe('F27 a client that misbehaves', () => {
  const garbage: readonly (readonly [string, string | Buffer])[] = [
    ['text', 'hello\n'],
    ['an empty line', '\n'],
    ['an HTTP request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a list', '[]\n'],
    ['a number', '7\n'],
    ['null', 'null\n'],
    ['no id', '{"call":{"method":"next"}}\n'],
    ['a text as id', '{"id":"1","call":{"method":"next"}}\n'],
    ['id zero', '{"id":0,"call":{"method":"next"}}\n'],
    ['a huge id', '{"id":1e300,"call":{"method":"next"}}\n'],
    ['deep nesting', `${'['.repeat(500_000)}\n`],
    ['bytes that are not UTF-8', Buffer.from([0xc3, 0x28, 0x0a])],
    ['NUL bytes', Buffer.from([0, 0, 0, 0x0a])],
    ['UTF-16', Buffer.from('{"id":1}\n', 'utf16le')],
  ];
  it.each(garbage)('is told why and cut off after %s', async (_name, bytes) => {
    await using rig = await startServer();
    const raw = rig.raw();
    raw.socket.write(bytes);
    await raw.closed;
    expect(lastMessage(raw)).toMatchObject({ id: 0, failure: { kind: 'invalid-argument' } });
    await expectUnharmed(rig);
  });

  it('is cut off within the second megabyte of a line without end', async () => {
    await using rig = await startServer();
    const raw = rig.raw();
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    raw.socket.write(megabyte);
    raw.socket.write(megabyte);
    await raw.closed;
    expect(lastMessage(raw)).toMatchObject({
      id: 0,
      failure: { argument: 'line', rule: 'at most 1048576 bytes' },
    });
    await expectUnharmed(rig);
  });

  it('may send a hundred megabytes without costing memory', async () => {
    await using rig = await startServer();
    const raw = rig.raw();
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    const before = process.memoryUsage().rss;
    for (let sent = 0; sent < 100 && !raw.socket.destroyed; sent += 1) {
      await new Promise<void>((resolve) => {
        raw.socket.write(megabyte, () => resolve());
      });
    }
    await raw.closed;
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    await expectUnharmed(rig);
  });

  it('is cut off when half a request is all it has', async () => {
    await using rig = await startServer({ limits: { patienceMs: 100 } });
    const raw = rig.raw();
    raw.socket.write('{"id":1,"call":');
    await raw.closed;
    expect(lastMessage(raw)).toMatchObject({ id: 0, failure: { rule: 'finished in time' } });
    await expectUnharmed(rig);
  });

  it('may leave in the middle of a request, a call or a greeting', async () => {
    await using rig = await startServer({
      onCall: async (call) => {
        if (call.method === 'next') await new Promise((resolve) => setTimeout(resolve, 20));
        return success(EMPTY);
      },
    });
    const leavers = Array.from({ length: 60 }, (_, index) => {
      const raw = rig.raw();
      raw.socket.on('connect', () => {
        if (index % 3 === 0) raw.socket.write('{"id":1,"ca');
        if (index % 3 === 1) raw.socket.write(encodeLine({ id: 1, call: { method: 'next' } }));
        if (index % 2 === 0) raw.socket.destroy();
        else raw.socket.end();
      });
      return raw.closed;
    });
    await Promise.all(leavers);
    await vi.waitFor(() => expect(rig.server.connections()).toBe(0), 20_000);
    await expectUnharmed(rig);
  });

  it('cannot use one id for two open calls', async () => {
    await using rig = await startServer({ onCall: async () => new Promise(() => undefined) });
    const raw = rig.raw();
    raw.socket.write(encodeLine({ id: 5, call: { method: 'next' } }));
    raw.socket.write(encodeLine({ id: 5, call: { method: 'next' } }));
    await raw.closed;
    expect(lastMessage(raw)).toMatchObject({ id: 0, failure: { argument: 'id' } });
  });

  it('stays connected after a request that is only wrong', async () => {
    await using rig = await startServer();
    const raw = rig.raw();
    raw.socket.write('{"id":3,"call":{"method":"explode"}}\n{"id":4,"call":{"method":"next"}}\n');
    await vi.waitFor(() => expect(raw.text()).toContain('"id":4,"result"'), 20_000);
    expect(raw.text()).toContain('"id":3,"failure":{"kind":"invalid-argument","argument":"method"');
    raw.socket.destroy();
  });

  it('survives a thousand pieces of noise', async () => {
    await using rig = await startServer();
    const good = encodeLine({ id: 1, call: { method: 'peek', taskId: 'abc', lines: 3 } });
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const raw = rig.raw();
          const noise = Buffer.from(good);
          noise[(round * 50 + index) % noise.length] = (round * 7 + index * 13) % 256;
          raw.socket.end(index % 2 === 0 ? noise : Buffer.concat([randomBytes(index), noise]));
          await raw.closed;
        }),
      );
    }
    await vi.waitFor(() => expect(rig.server.connections()).toBe(0), 20_000);
    await expectUnharmed(rig);
  });
});

describe('F28 many clients', () => {
  it('two hundred at once are all served', async () => {
    await using rig = await startServer();
    const clients = await Promise.all(Array.from({ length: 200 }, async () => rig.connect()));
    const answers = await Promise.all(
      clients.map(async (client: Client) => client.call({ method: 'snapshot' })),
    );
    expect(answers.map((answer) => unwrap(answer))).toHaveLength(200);
    expect(rig.server.connections()).toBe(200);
    for (const client of clients) client.close();
    await vi.waitFor(() => expect(rig.server.connections()).toBe(0), 20_000);
  });

  it('one too many is told so, and there is room again when one leaves', async () => {
    await using rig = await startServer({ limits: { maxConnections: 2 } });
    const [first] = [await rig.connect(), await rig.connect()];
    const third = rig.raw();
    await third.closed;
    expect(lastMessage(third)).toEqual({
      id: 0,
      failure: { kind: 'daemon-unreachable', reason: 'too-many-connections' },
    });
    first.close();
    await vi.waitFor(() => expect(rig.server.connections()).toBe(1), 20_000);
    await expectUnharmed(rig);
  });
});
