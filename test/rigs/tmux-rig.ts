import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { expect } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { endProcessTree } from '../../src/adapters/end-process-tree.js';
import { listWindows, startOrNull } from '../../src/adapters/launch-files.js';
import { createLaunchRecords } from '../../src/adapters/launch-records.js';
import { type ProcessMark, createProcessTable } from '../../src/adapters/process-table.js';
import { createSessions } from '../../src/adapters/tmux-sessions.js';
import type { Files, Launch, LaunchRecord } from '../../src/ports.js';
import { must } from './must.js';
import { success } from '../../src/domain/result.js';

export type TmuxRig = ReturnType<typeof createTmuxRig>;

/** A tmux server of its own in a short temporary directory, gone with everything in it at the end. */
export function createTmuxRig(env: Readonly<Record<string, string>> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'or-')));
  const runDir = join(root, 'run');
  const cwd = join(root, 'work');
  mkdirSync(cwd);
  const socket = join(root, 't.sock');
  const files = createDiskFiles();
  const processes = createProcessTable();
  const path = process.env['PATH'] ?? '/usr/bin:/bin';
  const parts = { socket, runDir, files, processes, env: { PATH: path, HOME: root, ...env } };
  const sessions = createSessions(parts);
  const records = createLaunchRecords({ runDir, files, processes });
  const launchIds = new Set<string>();
  let count = 0;

  const order = (extra: Partial<Launch> & Pick<Launch, 'argv'>): Launch => {
    count += 1;
    const launch = {
      taskId: 'taskone',
      session: 'demo/branch',
      window: 'worker',
      launchId: `l${process.pid}x${root.slice(-6)}x${count}`,
      cwd,
      env: { PATH: path },
      ...extra,
    };
    launchIds.add(launch.launchId);
    return launch;
  };

  return {
    root,
    runDir,
    cwd,
    socket,
    files,
    processes,
    sessions,
    records,
    parts,
    order,
    /** Launches and insists that it worked. */
    async launch(extra: Partial<Launch> & Pick<Launch, 'argv'>) {
      const launched = await sessions.launch(order(extra));
      if (!launched.ok) throw new Error(JSON.stringify(launched.failure));
      return launched.value;
    },
    sh(script: string, extra: Partial<Launch> = {}) {
      return this.launch({ argv: ['/bin/sh', '-c', script], ...extra });
    },
    /** Asks the server behind the product's back. */
    tmux(...argv: readonly string[]): string {
      return execFileSync('tmux', ['-N', '-u', '-S', socket, ...argv], { encoding: 'utf8' });
    },
    path: (name: string) => join(root, name),
    read: (name: string) => readFileSync(join(root, name), 'utf8'),
    write: (name: string, text: string) => writeFileSync(join(root, name), text),
    async ended(taskId: string, window: string): Promise<LaunchRecord> {
      await expect
        .poll(() => must(records.read(taskId, window))?.isAlive, { timeout: 20_000, interval: 10 })
        .toBe(false);
      const record = must(records.read(taskId, window));
      if (record === null) throw new Error('the record is gone');
      return record;
    },
    /** The last screen of an agent that ends. */
    async screen(taskId: string, window: string): Promise<readonly string[]> {
      await this.ended(taskId, window);
      const lines = await records.screen(taskId, window);
      if (lines === null) throw new Error('no screen was kept');
      return lines;
    },
    async appears(name: string): Promise<string> {
      await expect
        .poll(() => files.stat(join(root, name)), { timeout: 20_000, interval: 10 })
        .toMatchObject({ value: { kind: 'file' } });
      return readFileSync(join(root, name), 'utf8');
    },
    async [Symbol.asyncDispose]() {
      const markers = [...launchIds].map((value) => ({ name: 'ORANGE_LAUNCH_ID', value }) as const);
      const tree = { markers, recorders: readRecorders(files, runDir) };
      const left = await endProcessTree(processes, tree, { known: [], graceMs: 0 });
      expect(left).toEqual(success([]));
      const server = readServerPid(runDir);
      if (server !== null) endServer(server);
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

function readRecorders(files: Files, runDir: string): readonly ProcessMark[] {
  if (!existsSync(runDir)) return [];
  return readdirSync(runDir).flatMap((taskId) =>
    must(listWindows(files, runDir, taskId)).flatMap(
      (window) => startOrNull(files, join(runDir, taskId), window)?.mark ?? [],
    ),
  );
}

function readServerPid(runDir: string): number | null {
  try {
    return JSON.parse(readFileSync(join(runDir, 'tmux-server.json'), 'utf8')).pid;
  } catch {
    return null;
  }
}

function endServer(pid: number): void {
  try {
    kill(pid, 'SIGKILL');
  } catch {
    return;
  }
}
