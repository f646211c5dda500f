import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import type { Outcome } from '../../src/api/protocol.js';
import type { CommandContext, Repositories } from '../../src/cli/command-context.js';
import { createOutput } from '../../src/cli/output.js';
import { runCli } from '../../src/cli/run-cli.js';
import type { Failure } from '../../src/domain/failure.js';
import type { Request } from '../../src/domain/request.js';
import { failed, success } from '../../src/domain/result.js';
import type { Snapshot } from '../../src/domain/task-view.js';
import { createPaths } from '../../src/record/paths.js';
import { fakeClient, STATUS, type FakeClient } from '../fakes/fake-client.js';
import { NOW, snapshotOf } from '../tui/task-views.js';

export type CliRig = {
  readonly client: FakeClient;
  readonly home: string;
  run(...argv: readonly string[]): Promise<Ran>;
};

export type Ran = {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  json(): unknown;
  /** Standard output as a JSON list of objects. */
  rows(): readonly Readonly<Record<string, unknown>>[];
};

export type CliWorld = {
  readonly snapshot?: Snapshot | (() => Snapshot);
  readonly answer?: (request: Request) => Outcome | Failure;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** What the person says when asked; none means that there is no terminal. */
  readonly says?: string;
  readonly isDaemonUp?: boolean;
  readonly repositories?: Partial<Repositories>;
  readonly override?: Partial<CommandContext>;
};

/** The real command line over a daemon that is a fake. */
export function cliRig(world: CliWorld = {}): CliRig {
  const given = world.snapshot ?? snapshotOf([]);
  const snapshot = typeof given === 'function' ? given : () => given;
  const client =
    world.answer === undefined ? fakeClient(snapshot) : fakeClient(snapshot, world.answer);
  const home = mkdtempSync(join(tmpdir(), 'or-cli-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const paths = createPaths(home);
  const run = async (...argv: readonly string[]): Promise<Ran> => {
    const out: string[] = [];
    const err: string[] = [];
    const stdout = { write: (text: string) => out.push(text) };
    const stderr = { write: (text: string) => err.push(text) };
    const exitCode = await runCli({
      argv,
      version: '1.2.3',
      stdout,
      stderr,
      createOutput: (form) =>
        createOutput({
          form,
          stdout,
          stderr,
          columns: 80,
          errColumns: 80,
          outColors: 'plain',
          errColors: 'plain',
          isLive: false,
          nowMs: () => NOW,
          later: () => () => undefined,
        }),
      openContext: (output) => ({
        paths,
        env: world.env ?? {},
        cwd: world.cwd ?? '/elsewhere',
        actor: world.env?.['ORANGE_ROLE'] === undefined ? 'human' : 'agent',
        files: createDiskFiles(),
        output,
        terminal: {
          isInteractive: world.says !== undefined,
          screen: null,
          ask: async () => world.says ?? '',
          page: async () => false,
          readInput: async () => world.stdin ?? '',
        },
        nowMs: () => Date.now(),
        delay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        version: STATUS.version,
        nodeVersion: '20.19.0',
        isProcessAlive: () => false,
        endProcess: () => undefined,
        daemonHolder: async () => null,
        client: async () => success(client),
        runningClient: async () => success(world.isDaemonUp === false ? null : client),
        doctor: {
          diagnose: async () => success([]),
          mend: async () => success({ done: [], failed: [], remaining: [] }),
        },
        service: null,
        snapshot: async () => success(snapshot()),
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        repositories: async () => ({ ...NO_REPOSITORIES, ...world.repositories }) as Repositories,
        close: () => undefined,
        ...world.override,
      }),
    });
    const text = out.join('');
    return {
      exitCode,
      stdout: text,
      stderr: err.join(''),
      json: () => JSON.parse(text) as unknown,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      rows: () => JSON.parse(text) as readonly Readonly<Record<string, unknown>>[],
    };
  };
  return { client, home, run };
}

const NO_REPOSITORIES: Partial<Repositories> = {
  inspect: async (path) => failed({ kind: 'not-a-repository', path }),
  listWorktrees: async (path) => failed({ kind: 'not-a-repository', path }),
};
