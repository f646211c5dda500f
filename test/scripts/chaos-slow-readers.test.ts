import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Script = {
  readonly readNothing: (course: object, during: () => Promise<void>) => Promise<boolean>;
};

const call = async () => ({ result: { tasks: ['x'.repeat(2000)] } });

describe('clients that read nothing', () => {
  let folder: string;
  let socket: string;
  let server: Server | undefined;
  let clients: Socket[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ol-'));
    socket = join(folder, 'daemon.sock');
    clients = [];
  });
  afterEach(async () => {
    for (const client of clients) client.destroy();
    await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
    rmSync(folder, { recursive: true, force: true });
  });

  /** A daemon that does this with whoever comes; gives what is complained of it. */
  async function complaintsOf(onClient: (client: Socket) => void): Promise<readonly string[]> {
    server = createServer((client) => {
      clients.push(client);
      client.on('error', () => {});
      onClient(client);
    });
    await new Promise<void>((resolve) => server?.listen(socket, resolve));
    const complaints: string[] = [];
    const course = {
      place: { socket },
      daemon: { pid: process.pid, isRunning: true, client: { call } },
      dropMs: 1500,
      complain: (what: string) => complaints.push(what),
    };
    const { readNothing } = await loadScript<Script>('../chaos/faults/slow-readers');
    expect(await readNothing(course, async () => {})).toBe(true);
    expect(clients).toHaveLength(20);
    return complaints;
  }

  it('F28 are complained of when the daemon keeps them', async () => {
    const complaints = await complaintsOf(() => {});
    expect(complaints).toEqual([expect.stringContaining('F28 20 clients that read nothing are')]);
  });

  it('F28 are complained of when the daemon keeps their answers', async () => {
    const complaints = await complaintsOf((client) => {
      client.resume();
      client.write(Buffer.alloc(5 * 1024 * 1024, 1));
    });
    expect(complaints).toContainEqual(expect.stringMatching(/F28 the daemon grew by \d+ kB/));
  });

  it('F28 are not complained of when the daemon drops them', async () => {
    const complaints = await complaintsOf((client) => {
      client.pause();
      setTimeout(() => client.destroy(), 300);
    });
    expect(complaints).toEqual([]);
  });
});
