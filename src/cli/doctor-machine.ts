import { readMode, readRoom } from '../adapters/disk-files.js';
import { runCommand } from '../adapters/run-command.js';
import { checkSocketPath } from '../api/socket-path.js';
import { describeFailure } from '../domain/describe-failure.js';
import type { Failure } from '../domain/failure.js';
import type { CommandContext } from './command-context.js';
import { readHarnesses } from './commands/harness-list.js';
import { ok, warn, wrong, type DoctorFinding } from './doctor-finding.js';
import { tmuxSocket } from './tmux-socket.js';

/** What orange needs from the machine: programs, a private home, sockets with short paths. */
export async function checkMachine(context: CommandContext): Promise<readonly DoctorFinding[]> {
  const programs = await Promise.all(NEEDED.map((needed) => checkProgram(context, needed)));
  return [
    checkNode(context.nodeVersion),
    ...programs,
    checkHomeMode(context, 'home', context.paths.home),
    checkHomeMode(context, 'run', context.paths.runDir),
    ...(await checkSockets(context)),
    ...(await checkHarnesses(context)),
  ];
}

export function fromFailure(check: string, failure: Failure): DoctorFinding {
  const { message, hint } = describeFailure(failure);
  return wrong(check, message, hint);
}

type Needed = {
  readonly program: string;
  readonly argv: readonly string[];
  readonly least: readonly [number, number];
};
const NEEDED: readonly Needed[] = [
  { program: 'git', argv: ['--version'], least: [2, 38] },
  { program: 'tmux', argv: ['-V'], least: [3, 2] },
];
const LEAST_NODE: readonly [number, number] = [20, 19];

function checkNode(version: string): DoctorFinding {
  return isAtLeast(version, LEAST_NODE)
    ? ok('node', `node ${version}`)
    : wrong('node', `node ${version} is older than ${LEAST_NODE.join('.')}`, 'Update Node.js.');
}

async function checkProgram(context: CommandContext, needed: Needed): Promise<DoctorFinding> {
  const { program, argv, least } = needed;
  const env = Object.fromEntries(
    Object.entries(context.env).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value]],
    ),
  );
  const asked = await runCommand({
    program,
    argv,
    env,
    timeoutMs: 5000,
    action: 'tell its version',
  });
  if (!asked.ok) return fromFailure(program, asked.failure);
  const version = /[0-9]+\.[0-9]+[0-9.a-z]*/.exec(asked.value.stdout)?.[0] ?? 'unknown';
  if (isAtLeast(version, least)) return ok(program, `${program} ${version}`);
  return fromFailure(program, {
    kind: 'program-too-old',
    program,
    version,
    needs: least.join('.'),
  });
}

export function isAtLeast(version: string, least: readonly [number, number]): boolean {
  const match = /([0-9]+)\.([0-9]+)/.exec(version);
  const [major, minor] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  return major > least[0] || (major === least[0] && minor >= least[1]);
}

function checkHomeMode(context: CommandContext, check: string, path: string): DoctorFinding {
  const state = context.files.stat(path);
  if (!state.ok) return fromFailure(check, state.failure);
  if (state.value.kind === 'absent') return ok(check, `${path} is made when first needed`);
  if (state.value.kind !== 'directory') {
    return wrong(check, `${path} is not a directory`, 'Move it away, or set ORANGE_HOME.');
  }
  const mode = readMode(path);
  if (!mode.ok) return fromFailure(check, mode.failure);
  const isWritableByOthers = (mode.value & 0o022) !== 0;
  const isOpen = check === 'run' ? (mode.value & 0o077) !== 0 : isWritableByOthers;
  const octal = mode.value.toString(8);
  if (check === 'home' && isFull(path)) {
    const remedy = 'Free some space; what could not be written is written then, by itself.';
    return wrong(check, `the disk of ${path} is full: nothing can be written down`, remedy);
  }
  return isOpen
    ? wrong(check, `${path} is open to others (mode ${octal})`, `Run: chmod 700 ${path}`)
    : ok(check, `${path} (mode ${octal})`);
}

function isFull(path: string): boolean {
  const room = readRoom(path);
  return room.ok && room.value < LEAST_ROOM_BYTES;
}

const LEAST_ROOM_BYTES = 64 * 1024;

async function checkSockets(context: CommandContext): Promise<readonly DoctorFinding[]> {
  const tmux = await tmuxSocket(context);
  const paths = [context.paths.daemonSocket, ...(tmux.ok ? [tmux.value] : [])];
  const broken = paths.flatMap((path) => {
    const checked = checkSocketPath(path);
    return checked.ok ? [] : [fromFailure('socket', checked.failure)];
  });
  return broken.length > 0 ? broken : [ok('socket', 'socket paths are short enough')];
}

async function checkHarnesses(context: CommandContext): Promise<readonly DoctorFinding[]> {
  const rows = await readHarnesses(context);
  // Broken settings are reported by the check of the settings.
  if (!rows.ok) return [];
  const installed = rows.value.filter((row) => row.installed && row.order !== null);
  if (installed.length === 0) {
    const [own] = rows.value.filter((row) => row.installed && row.path !== null);
    if (own !== undefined) {
      const remedy = `Name one (--harness ${own.name}), or add it to harness_order in config.yaml.`;
      return [warn('harness', 'none of harness_order is installed', remedy)];
    }
    const remedy = 'Install one, or try the built-in one: --harness demo';
    return [warn('harness', 'no agent program is installed', remedy)];
  }
  return [ok('harness', `installed: ${installed.map((row) => row.name).join(', ')}`)];
}
