import type { Description, Descriptions, FailureOf } from './description.js';
import { describeUnreachable } from './describe-unreachable.js';
import { killingSignal } from './killing-signal.js';
import { withoutStop } from './without-stop.js';

/** Failures of the machine around orange: programs, files, agents' terminals and the daemon. */
export const MACHINE_DESCRIPTIONS: Descriptions<
  | 'not-a-repository'
  | 'repository-without-commits'
  | 'worktree-unusable'
  | 'worktree-occupied'
  | 'setup-failed'
  | 'harness-unknown'
  | 'harness-not-installed'
  | 'no-harness-installed'
  | 'agent-not-running'
  | 'agent-busy'
  | 'agent-did-not-start'
  | 'agent-would-not-end'
  | 'terminals-unreachable'
  | 'message-not-delivered'
  | 'command-failed'
  | 'command-timed-out'
  | 'program-missing'
  | 'program-too-old'
  | 'path-too-long'
  | 'io-failed'
  | 'home-locked'
  | 'home-unusable'
  | 'home-too-new'
  | 'file-not-ours'
  | 'service-not-enabled'
  | 'daemon-unreachable'
  | 'protocol-mismatch'
  | 'internal'
> = {
  'not-a-repository': ({ path, found, remedy }) => ({
    message: `${path} ${found === undefined ? 'is not inside a git repository' : FOUND[found]}.`,
    hint: remedy ?? 'Go to a repository or give its path; make one with: git init',
  }),
  'repository-without-commits': (failure) => ({
    message: `The repository at ${failure.path} has no commit yet, so no branch can start from it.`,
    hint: 'Make a first one there: git commit --allow-empty -m "Start"',
  }),
  'worktree-unusable': (failure) => ({
    message: `Worktree ${failure.workspace} cannot be used: ${withoutStop(failure.reason)}.`,
    hint: 'It is left as it is. Look at it with: orange workspace list, and orange doctor',
  }),
  'worktree-occupied': (failure) => ({
    message: `Process ${failure.pid} (${failure.command === '' ? 'unnamed' : failure.command}) works in ${failure.worktree}.`,
    hint: 'Leave that folder or end the process; orange goes on by itself.',
  }),
  'setup-failed': (failure) => ({
    message: `Setting up the worktree failed: "${failure.command}" ${failure.how}; its output is in ${failure.log}.`,
    hint: 'The commands are pool.setup in orange.yaml or config.yaml. A task that waits for it is tried again by itself; at once: orange task spawn',
  }),
  'harness-unknown': (failure) => describeUnknownHarness(failure),
  'harness-not-installed': (failure) => ({
    message: `Harness "${failure.harness}" needs the program "${failure.program}", which is not on PATH.`,
    hint: 'Install it, or choose another: orange harness list',
  }),
  'no-harness-installed': (failure) => ({
    message: `No agent program is installed (looked for ${failure.tried.join(', ')}).`,
    hint: 'Install one of them, name one with --harness, or try --harness demo.',
  }),
  'agent-not-running': (failure) => describeAbsentAgent(failure),
  'agent-busy': (failure) => ({
    message: `Task ${failure.taskId} is busy: ${withoutStop(failure.doing)}.`,
    hint: 'Try again when that is done.',
  }),
  'agent-did-not-start': (failure) => ({
    message: `The agent in window "${failure.window}" did not start: ${withoutStop(failure.reason)}.`,
    hint: 'Check the command with: orange harness list. Details: orange log',
  }),
  'agent-would-not-end': (failure) => ({
    message: `Processes of task ${failure.taskId} survived being ended: ${failure.pids.join(', ')}.`,
    hint: 'Its worktree is not given to anyone else. Look at them with: ps -fp <pid>',
  }),
  'terminals-unreachable': (failure) => ({
    message: `The agents' terminals cannot be reached just now: ${withoutStop(failure.reason)}.`,
    hint: 'Try again in some seconds: while the daemon runs, it puts this right. If not: orange doctor',
  }),
  'message-not-delivered': (failure) => ({
    message: `The message did not reach window "${failure.window}": ${withoutStop(failure.reason)}.`,
    hint: 'Look at the agent with: orange task attach, then send it again.',
  }),
  'command-failed': (failure) => describeFailedCommand(failure),
  'command-timed-out': (failure) => ({
    message: `${failure.program} took longer than ${failure.timeoutMs / 1000} s to ${failure.action} and was ended.`,
    hint: `Run it by hand to see what it waits for (a password, a lock, the network). Details: orange log`,
  }),
  'program-missing': (failure) => ({
    message: `The program "${failure.program}" is not on PATH.`,
    hint: `Install ${failure.program}, then check with: orange doctor`,
  }),
  'program-too-old': (failure) => ({
    message: `${failure.program} ${failure.version} is too old; orange needs ${failure.needs}.`,
    hint: `Update ${failure.program}, then check with: orange doctor`,
  }),
  'path-too-long': (failure) => ({
    message: `The path ${failure.path} has ${failure.path.length} characters; a socket may have at most ${failure.max} bytes.`,
    hint: 'Set ORANGE_HOME (or ORANGE_TMUX_SOCKET) to a shorter path.',
  }),
  'io-failed': (failure) => ({
    message: `Could not ${OPERATIONS[failure.operation] ?? failure.operation} ${failure.path}: ${IO_REASONS[failure.code] ?? failure.code}.`,
    hint: IO_REMEDIES[failure.code] ?? 'Check the path and its permissions.',
  }),
  'home-locked': (failure) => ({
    message: `Another orange (pid ${failure.pid}) already has the home ${failure.home}.`,
    hint: 'Use that one, stop it with: orange daemon stop, or choose another ORANGE_HOME.',
  }),
  'home-unusable': (failure) => ({
    message: `The home ${failure.home} cannot be used: ${withoutStop(failure.reason)}.`,
    hint: 'Check it with: orange doctor, or choose another ORANGE_HOME.',
  }),
  'home-too-new': (failure) => ({
    message: `The home ${failure.home} was written by orange ${failure.version} in format ${failure.format}; this orange knows formats up to ${failure.known}.`,
    hint: 'Nothing was changed. Update orange, or choose another ORANGE_HOME.',
  }),
  'file-not-ours': (failure) => ({
    message: `${failure.path} was not written by orange, so it is left as it is.`,
    hint: 'Move it away first if it is in the way.',
  }),
  'service-not-enabled': ({ manager, path, command }) => ({
    message: `Wrote ${path}, but ${manager} does not answer here: nothing starts the daemon at login yet.`,
    hint: `Where it does, run: ${command}. To take it back: orange daemon uninstall`,
  }),
  'daemon-unreachable': (failure) => describeUnreachable(failure),
  'protocol-mismatch': (failure) => ({
    message: `The running daemon (orange ${failure.theirVersion}, protocol ${failure.theirs}) does not fit this orange (protocol ${failure.ours}).`,
    hint: 'If it is the newer one, update this orange; else: orange daemon restart (agents keep running)',
  }),
  internal: (failure) => ({
    message: `This is a bug in orange: ${failure.message}`,
    hint: 'See the details with: orange log',
  }),
};

const FOUND = {
  nothing: 'does not exist',
  file: 'is a file, not the directory of a git repository',
} as const;

const OPERATIONS: Readonly<Record<string, string>> = {
  append: 'append to',
  'make-directory': 'make the directory',
  'remove-tree': 'remove',
  stat: 'look at',
};

const IO_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EIO: 'the disk reports an error',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files on this machine',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EFBIG: 'it is too large',
  EBUSY: 'somebody else keeps writing it',
  EFENCED: 'this daemon cannot be sure that the home is still its own',
  EILSEQ: 'it is not UTF-8 text',
  ELOOP: 'it is a symbolic link',
  ENOTREG: 'it is not a regular file',
};

const GOES_ON = 'orange goes on by itself.';

const IO_REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: `Free some space; ${GOES_ON}`,
  EDQUOT: `Free some space or raise the quota; ${GOES_ON}`,
  EROFS: `Make the disk writable again; ${GOES_ON}`,
  EIO: `Look at the disk (dmesg) before you trust it; what was there is kept, and ${GOES_ON}`,
  EACCES: `Give yourself the right to it (ls -l shows who has it); ${GOES_ON}`,
  EMFILE: 'Raise the limit (ulimit -n) and restart: orange daemon restart',
  ENFILE: `Close programs or raise fs.file-max; ${GOES_ON}`,
  EBUSY: 'Try again; the file was changed each time before it could be replaced.',
  EFENCED: 'Check with: orange daemon status. Another daemon may have taken over.',
};

function describeAbsentAgent(failure: FailureOf<'agent-not-running'>) {
  const { taskId, task = taskId, status, window } = failure;
  if (status === 'pending') {
    return {
      message: `${task} is pending: its agent has not started yet.`,
      hint: `Start it with: orange task spawn ${task}`,
    };
  }
  if (status === 'done' || status === 'cancelled') {
    return {
      message: `${task} is ${status}, so no agent runs for it.`,
      hint: `Start a new, related task with: orange task reopen ${task}`,
    };
  }
  return {
    message: `No agent of task ${task} runs in window "${window}".`,
    hint: `Start it with: orange task respawn ${task}`,
  };
}

function describeFailedCommand(failure: FailureOf<'command-failed'>) {
  const said = lastLine(failure.output);
  const end = describeEnd(failure.exitCode);
  return {
    message: `${failure.program} could not ${failure.action} (${end})${said === '' ? '' : `: ${said}`}`,
    hint: 'Details: orange log',
  };
}

function describeEnd(exitCode: number | null): string {
  if (exitCode === null) return 'was killed';
  const signal = killingSignal(exitCode);
  return signal === null ? `ended with ${exitCode}` : `killed by ${signal}`;
}

function lastLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const telling = lines.find((line) => /^(fatal|error):/i.test(line)) ?? lines.at(-1) ?? '';
  return telling.trim().slice(0, 300);
}

function describeUnknownHarness({
  harness,
  known,
  rejected,
}: FailureOf<'harness-unknown'>): Description {
  const names = `Known: ${known.join(', ')}.`;
  if (rejected === undefined) {
    return {
      message: `There is no harness named "${harness}".`,
      hint: `${names} More can be added under harnesses: in config.yaml.`,
    };
  }
  const { file, line, message, fix } = rejected;
  return {
    message: `There is no harness named "${harness}" in the settings in force: ${file} is not, because of line ${line}: ${withoutStop(message)}.`,
    hint: `Mend that line: ${withoutStop(fix)}. ${names}`,
  };
}
