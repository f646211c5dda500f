import { type Failure, InternalError } from '../domain/failure.js';
import { type Result, failed, success } from '../domain/result.js';
import { runCommand } from './run-command.js';

export const TMUX_TIME_LIMIT_MS = 5000;

/** How to reach one terminal server. */
export type TmuxServer = {
  readonly socket: string;
  readonly conf: string;
  /** The complete environment of every tmux process, and so of a server it starts. */
  readonly env: Readonly<Record<string, string>>;
};

/** One tmux command: its name and its arguments as they are meant, not yet escaped. */
export type TmuxCommand = readonly [string, ...string[]];

/** Runs tmux commands in one go and gives what they printed. Only `start` may bring up a server. */
export async function runTmux(
  server: TmuxServer,
  commands: readonly TmuxCommand[],
  options: { readonly start?: boolean; readonly input?: string } = {},
): Promise<Result<string>> {
  const built = tmuxArguments(server, commands, options.start === true ? [] : ['-N']);
  if (!built.ok) return built;
  const outcome = await runCommand({
    program: 'tmux',
    argv: built.value,
    env: server.env,
    timeoutMs: TMUX_TIME_LIMIT_MS,
    action: nameCommands(commands),
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  if (!outcome.ok) return outcome;
  const { stdout, stderr, exitCode } = outcome.value;
  return exitCode === 0 ? success(stdout) : failed(refusedByTmux(commands, stderr, exitCode));
}

/** What is reported of commands that tmux did not carry out. */
export function refusedByTmux(
  commands: readonly TmuxCommand[],
  output: string,
  exitCode: number | null,
): Failure {
  const action = nameCommands(commands);
  return { kind: 'command-failed', program: 'tmux', action, exitCode, output };
}

/** What is reported of commands that tmux did not answer in time. */
export function tooSlow(commands: readonly TmuxCommand[]): Failure {
  const action = nameCommands(commands);
  return { kind: 'command-timed-out', program: 'tmux', action, timeoutMs: TMUX_TIME_LIMIT_MS };
}

/** The argument vector for tmux: own socket, own configuration, nothing left for tmux to interpret. */
export function tmuxArguments(
  server: Pick<TmuxServer, 'socket' | 'conf'>,
  commands: readonly TmuxCommand[],
  flags: readonly string[] = [],
): Result<readonly string[]> {
  if (Buffer.byteLength(server.socket) > MAX_SOCKET_BYTES) {
    return failed({ kind: 'path-too-long', path: server.socket, max: MAX_SOCKET_BYTES });
  }
  const words = commands.flatMap((command, index) => [
    ...(index === 0 ? [] : [';']),
    ...command.map(escapeSeparator),
  ]);
  const size = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (size > MAX_COMMAND_BYTES) {
    return failed({
      kind: 'invalid-argument',
      argument: 'tmux command',
      value: commands[0]?.[0] ?? '',
      rule: `at most ${MAX_COMMAND_BYTES} bytes`,
    });
  }
  return success([...flags, '-u', '-S', server.socket, '-f', server.conf, ...words]);
}

/** The same commands as one line for a control client, or null when they do not fit into one. */
export function tmuxLine(commands: readonly TmuxCommand[]): string | null {
  const line = commands.map((command) => command.map(quoteWord).join(' ')).join(' ; ');
  const fits = Buffer.byteLength(line) <= MAX_COMMAND_BYTES && !line.includes('\0');
  return fits && line !== '' ? line : null;
}

/** The target that means this session and no other. */
export function sessionTarget(session: string): string {
  return `=${requireName(session)}:`;
}

/** The target that means this window of this session and no other. */
export function windowTarget(session: string, window: string): string {
  return `=${requireName(session)}:=${requireName(window)}`;
}

/** A text for an option whose value tmux expands (`-s`, `-n`, `-c`), so that it stays that text. */
export function literalFormat(text: string): string {
  return requireName(text).replaceAll('#', '##');
}

/** Whether tmux keeps a session name as it is, and finds it again, and only it. */
export function isExactSessionName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9/_-]*$/.test(name) && name.length <= MAX_NAME_LENGTH;
}

/** As for sessions; a window must not start with a digit either, or it could be taken for an index. */
export function isExactWindowName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]*$/.test(name) && name.length <= MAX_NAME_LENGTH;
}

/** What tmux says when there is nothing left to end. */
export const GONE: ReadonlySet<string> = new Set(['no-server', 'no-session', 'no-window']);

export type TmuxRefusal =
  | 'no-server'
  | 'no-session'
  | 'no-window'
  | 'duplicate-session'
  | 'no-buffer'
  | 'other';

/** What tmux meant, told by the phrases it is known to use. */
export function classifyTmuxFailure(failure: Failure): TmuxRefusal {
  if (failure.kind !== 'command-failed' || failure.program !== 'tmux') return 'other';
  return PHRASES.find(([phrase]) => failure.output.includes(phrase))?.[1] ?? 'other';
}

/** Whether a server that runs closed the door on a client: it does so once it is told to exit. */
export function isTurnedAway(failure: Failure): boolean {
  return (
    failure.kind === 'command-failed' &&
    failure.program === 'tmux' &&
    tellsServerExit(failure.output)
  );
}

/** Whether these are the words in which a client tells that its server exits. */
export function tellsServerExit(words: string): boolean {
  return words.includes('server exited');
}

const PHRASES: readonly (readonly [string, TmuxRefusal])[] = [
  ['no server running', 'no-server'],
  ['error connecting to', 'no-server'],
  ['server exited', 'no-server'],
  ['lost server', 'no-server'],
  ["can't find session", 'no-session'],
  ["can't find window", 'no-window'],
  ["can't find pane", 'no-window'],
  ['no such session', 'no-session'],
  // Said of any target, exact or not, when there is no session at all.
  ['no current target', 'no-session'],
  ['no such window', 'no-window'],
  ['no such pane', 'no-window'],
  ['duplicate session', 'duplicate-session'],
  ['no buffer', 'no-buffer'],
];

const MAX_SOCKET_BYTES = 103;
// The client hands its command to the server in one message of at most 16,384 bytes.
const MAX_COMMAND_BYTES = 16_000;
const MAX_NAME_LENGTH = 200;

function nameCommands(commands: readonly TmuxCommand[]): string {
  return commands.map(([name]) => name).join(', ');
}

// Within single quotes tmux reads nothing but their end; a line break would end the line.
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'"'"'`).replaceAll('\n', `'"\\n"'`)}'`;
}

// A word that ends in a semicolon would end the command, even out of an argument vector.
function escapeSeparator(word: string): string {
  return word.endsWith(';') ? `${word.slice(0, -1)}\\;` : word;
}

// An empty target means "the latest one" to tmux: it must never get there.
function requireName(name: string): string {
  if (name === '') throw new InternalError('an empty name reached a tmux command');
  return name;
}
