import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Client } from '../../src/api/client.js';
import { connect } from '../../src/api/client.js';
import type { Change } from '../../src/api/protocol.js';
import { PROTOCOL_VERSION } from '../../src/api/protocol.js';
import type { Server, ServerOptions } from '../../src/api/server.js';
import { createServer } from '../../src/api/server.js';
import type { Result } from '../../src/domain/result.js';
import { success } from '../../src/domain/result.js';
import type { Snapshot, TaskView } from '../../src/domain/task-view.js';

export const GREETING = { orange: '0.0.0-test', protocol: PROTOCOL_VERSION, pid: process.pid };
export const EMPTY: Snapshot = { tasks: [], projects: [], workspaces: [], problems: [] };
export const NO_CHANGE: Change = {
  tasks: [],
  removed: [],
  projects: null,
  workspaces: null,
  problems: null,
};

/** A short temporary directory that is gone after the test. */
export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'or-api-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export type ServerRig = AsyncDisposable & {
  readonly socketPath: string;
  readonly server: Server;
  readonly records: Record<string, unknown>[];
  connect(): Promise<Client>;
  /** A bare socket, to misbehave with. */
  raw(): RawClient;
};

export async function startServer(options: Partial<ServerOptions> = {}): Promise<ServerRig> {
  const directory = newDirectory();
  const socketPath = options.socketPath ?? join(directory, 'run', 'daemon.sock');
  const records: Record<string, unknown>[] = [];
  const server = unwrap(
    await createServer({
      socketPath,
      greeting: GREETING,
      onCall: async () => success(EMPTY),
      log: { write: (record) => void records.push(record) },
      ...options,
    }),
  );
  return {
    socketPath,
    server,
    records,
    connect: async () => unwrap(await connect({ socketPath, timeoutMs: 5000 })),
    raw: () => openRaw(socketPath),
    [Symbol.asyncDispose]: async () => server.close(),
  };
}

export type RawClient = {
  readonly socket: Socket;
  text(): string;
  readonly closed: Promise<void>;
};

export function openRaw(socketPath: string): RawClient {
  const socket = createConnection({ path: socketPath, allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  socket.on('end', () => socket.end());
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  return { socket, text: () => text, closed };
}

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

export function taskView(id: string, summary = ''): TaskView {
  return {
    fields: {
      id,
      project: 'p',
      branch: 'b',
      harness: 'demo',
      review_harness: 'demo',
      status: 'pending',
      review_round: 0,
      crash_count: 0,
      summary,
      workspace: null,
      tmux_session: null,
      pr_url: null,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    },
    extensions: {},
    session: 'inactive',
    actions: [],
    attention: null,
    reasons: [],
    questions: [],
    problems: [],
    status_since: '2026-01-01T00:00:00Z',
  };
}
