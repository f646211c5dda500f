import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_PRELUDE } from './agent-prelude.js';
import { endRig } from './end-rig.js';

export const PROGRAM =
  process.env['ORANGE_TEST_PROGRAM'] ??
  fileURLToPath(new URL('../../dist/orange.js', import.meta.url));
const COMMAND_LIMIT_MS = 60_000;
const POLL_MS = 25;

export type Answer = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What was printed with --json; the shape is the test's to know. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  json<T = Record<string, unknown>>(): T;
};

/** A line of a history. */
export type Event = { readonly type: string; readonly [key: string]: unknown };

/** An agent as two shell scripts; both see the functions of the prelude. */
export type Agent = { readonly worker?: string; readonly reviewer?: string };

export type RunOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
};

export type RigOptions = {
  readonly agents?: Readonly<Record<string, Agent>>;
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly settings?: { readonly harnesses?: object; readonly [key: string]: unknown };
  readonly project?: string;
  readonly poolSize?: number;
  /** An empty folder to be the home; whoever made it takes it away. */
  readonly home?: string;
};

const IDLE = 'while :; do sleep 1; done';

/** A home, a repository and everything orange does with them, in one folder that goes away. */
export async function createRig(options: RigOptions = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'oi-')));
  const home = options.home ?? join(root, 'home');
  const project = options.project ?? 'shop';
  const repository = join(root, project);
  const socket = join(home, 'run', 'tmux.sock');
  const env = rigEnvironment(root, home);
  mkdirSync(home, { mode: 0o700, recursive: true });
  mkdirSync(join(root, 'said'));
  writeFileSync(
    join(root, 'gitconfig'),
    '[user]\n\tname = Pat Rig\n\temail = pat@rig.invalid\n[init]\n\tdefaultBranch = main\n',
  );

  const git = (directory: string, ...argv: readonly string[]): string => {
    const ran = spawnSync('git', ['-C', directory, ...argv], { env, encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`git ${argv.join(' ')}: ${ran.stderr}`);
    return ran.stdout.trim();
  };
  const makeRepository = (name: string): string => {
    const path = join(root, name);
    mkdirSync(path, { recursive: true });
    git(path, 'init', '--quiet');
    write(join(path, 'README.md'), '# Sample\n');
    write(join(path, '.gitignore'), 'cache/\n');
    git(path, 'add', '--all');
    git(path, 'commit', '--quiet', '--message', 'Start');
    return path;
  };
  makeRepository(project);
  const row = { name: project, path: repository, default_branch: 'main' };
  write(
    join(home, 'projects.json'),
    JSON.stringify([{ ...row, pool_size: options.poolSize ?? 2 }]),
  );
  // JSON is YAML too.
  write(join(home, 'config.yaml'), JSON.stringify(settingsOf(root, options), null, 2));

  async function orange(...args: readonly string[]): Promise<Answer> {
    return run(args, {});
  }
  async function run(args: readonly string[], how: RunOptions): Promise<Answer> {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: how.cwd ?? repository,
      env: { ...env, ...how.env },
      timeout: COMMAND_LIMIT_MS,
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(how.input ?? '');
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve);
    });
    return { code, stdout, stderr, json: () => JSON.parse(stdout) };
  }
  /** Like `orange`, for what must work: fails with what was printed. */
  async function must(...args: readonly string[]): Promise<Answer> {
    const answer = await orange(...args);
    if (answer.code === 0) return answer;
    throw new Error(`orange ${args.join(' ')}: ${answer.code}\n${answer.stdout}${answer.stderr}`);
  }

  const taskDir = (id: string): string => join(home, 'tasks', project, id);
  const taskFile = (id: string): string => join(taskDir(id), 'TASK.md');
  const history = (id: string): readonly Event[] => {
    const path = join(taskDir(id), 'history.jsonl');
    if (!existsSync(path)) return [];
    const lines = read(path).split('\n').slice(0, -1);
    return lines.map((line): Event => JSON.parse(line));
  };
  /** A frontmatter value as it stands in the file. */
  const field = (id: string, name: string): string | null => {
    if (!existsSync(taskFile(id))) return null;
    return new RegExp(`^${name}: (.*)$`, 'm').exec(read(taskFile(id)))?.[1] ?? null;
  };

  const lastMove = (id: string): unknown =>
    history(id).findLast(({ type }) => type === 'status.changed' || type === 'auto.advanced')?.[
      'to'
    ];
  async function waitForStatus(id: string, status: string, deadlineMs = 30_000): Promise<void> {
    const isThere = (): boolean => field(id, 'status') === status && lastMove(id) === status;
    await until(`${status} of ${id}`, isThere, deadlineMs).catch((error: Error) => {
      throw new Error(`${error.message}\n${describe(id)}`);
    });
  }
  async function waitForEvent(
    id: string,
    isIt: (event: Event) => boolean,
    deadlineMs = 30_000,
  ): Promise<Event> {
    const found = until('event', () => history(id).find(isIt), deadlineMs);
    return found.catch((error: Error) => {
      throw new Error(`${error.message}: ${isIt.toString()}\n${describe(id)}`);
    });
  }
  const describe = (id: string): string =>
    [
      existsSync(taskFile(id)) ? read(taskFile(id)) : 'no TASK.md',
      ...history(id).map((event) => JSON.stringify(event)),
      ...(existsSync(join(home, 'orange.log'))
        ? read(join(home, 'orange.log')).split('\n').slice(-25)
        : []),
    ].join('\n');

  /** Makes a task and gives its id. */
  async function create(branch: string, ...more: readonly string[]): Promise<string> {
    const answer = await must('task', 'create', '--json', branch, ...more);
    return answer.json<{ id: string }>().id;
  }
  const tmux = (...argv: readonly string[]): string => {
    const ran = spawnSync('tmux', ['-N', '-u', '-S', socket, ...argv], { env, encoding: 'utf8' });
    return ran.status === 0 ? ran.stdout.trim() : '';
  };
  /** The sessions of tasks; orange's own keeper is nobody's. */
  const sessions = (): readonly string[] =>
    tmux('list-sessions', '-F', '#{session_name}')
      .split('\n')
      .filter((name) => name !== '' && name !== '_orange');
  const pool = (): Record<string, { status: string; task?: string }> =>
    JSON.parse(read(join(home, 'workspaces', '.pool.json'))).workspaces;
  const workspace = (name = `${project}--1`): string => join(home, 'workspaces', name);

  return {
    root,
    home,
    project,
    repository,
    socket,
    env,
    program: PROGRAM,
    git,
    write,
    read,
    makeRepository,
    orange,
    run,
    must,
    create,
    taskDir,
    taskFile,
    history,
    field,
    until,
    waitForStatus,
    waitForEvent,
    describe,
    tmux,
    sessions,
    pool,
    workspace,
    /** What agents reported with `say`, line by line. */
    said: (name = 'all'): readonly string[] => {
      const path = join(root, 'said', name);
      return existsSync(path) ? read(path).split('\n').filter(Boolean) : [];
    },
    /** Gives agents the sign that `await_go NAME` waits for. */
    go: (name: string): void => write(join(root, 'said', `go-${name}`), ''),
    async [Symbol.asyncDispose](): Promise<void> {
      await endRig({
        root,
        home,
        socket,
        env,
        stop: async () => void (await run(['daemon', 'stop'], { cwd: root })),
      });
    },
  };
}

/** Some facts of an event as one text; those that it lacks are left out. */
export function factsOf(event: Event, ...names: readonly string[]): string {
  return names
    .map((name) => event[name])
    .filter((fact) => typeof fact === 'string' || typeof fact === 'number')
    .join(' ');
}

export type Rig = Awaited<ReturnType<typeof createRig>>;

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/** Waits for what `look` wants to see. */
async function until<T>(
  what: string,
  look: () => T | null | undefined | false,
  deadlineMs = 30_000,
): Promise<T> {
  const start = performance.now();
  for (;;) {
    const seen = look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    if (performance.now() - start > deadlineMs) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function rigEnvironment(root: string, home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: root,
    LANG: 'C.UTF-8',
    GIT_CONFIG_GLOBAL: join(root, 'gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
    ORANGE_HOME: home,
  };
}

function settingsOf(root: string, options: RigOptions): Record<string, unknown> {
  const agents = Object.entries(options.agents ?? {}).map(([name, agent]) => {
    const script = (role: string, text: string): readonly string[] => {
      const path = join(root, `agent-${name}-${role}.sh`);
      writeFileSync(path, `${AGENT_PRELUDE}\n${text}\n`);
      return ['/bin/sh', path];
    };
    const command = script('worker', agent.worker ?? IDLE);
    const review = script('reviewer', agent.reviewer ?? IDLE);
    return [name, { command, review, env: { RIG: root } }] as const;
  });
  const { harnesses, ...settings } = options.settings ?? {};
  return {
    sweep_seconds: 0.2,
    notify: { desktop: false, bell: false },
    ...settings,
    harnesses: { ...Object.fromEntries(agents), ...harnesses },
    harness_order: agents.map(([name]) => name),
    policy: { settle_ms: 100, respawn_backoff_seconds: [0.1], ...options.policy },
  };
}
