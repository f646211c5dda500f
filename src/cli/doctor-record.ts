import { join } from 'node:path';
import { runTmux } from '../adapters/tmux-command.js';
import { isTerminal } from '../domain/status.js';
import type { Snapshot } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { readDaemonStatus } from './commands/daemon-status.js';
import { fromFinding, ok, warn, wrong, type DoctorFinding } from './doctor-finding.js';
import { fromFailure } from './doctor-machine.js';
import { checkSettings } from './doctor-settings.js';
import { taskName } from './find-task.js';
import { nameTask } from './format-task.js';
import { count } from './table.js';
import { tmuxSocket } from './tmux-socket.js';

/** Whether the record, the daemon, the sessions and the worktrees agree. Changes nothing. */
export async function checkRecord(context: CommandContext): Promise<readonly DoctorFinding[]> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return [fromFailure('record', snapshot.failure)];
  return [
    ...(await checkDaemon(context)),
    ...checkFiles(snapshot.value),
    ...(await checkSettings(context, snapshot.value)),
    ...checkProjects(context, snapshot.value),
    ...(await checkSessions(context, snapshot.value)),
    ...checkWorktrees(context, snapshot.value),
    ...(await checkPlaces(context)),
  ];
}

async function checkDaemon(context: CommandContext): Promise<readonly DoctorFinding[]> {
  const status = await readDaemonStatus(context);
  if (!status.ok) return [fromFailure('daemon', status.failure)];
  if (status.value.running) return [ok('daemon', `running, pid ${status.value.pid}`)];
  const lock = context.files.stat(context.paths.lockFile);
  const isLocked = lock.ok && lock.value.kind !== 'absent';
  return [
    ok('daemon', 'not running; it starts with the next change'),
    ...(isLocked
      ? [
          warn(
            'lock',
            `${context.paths.lockFile} was left behind`,
            'The next daemon takes it over.',
          ),
        ]
      : []),
  ];
}

function checkFiles(snapshot: Snapshot): readonly DoctorFinding[] {
  // Settings are read anew by their own check.
  const others = snapshot.problems.filter(({ file }) => !/\/(config|orange)\.yaml$/.test(file));
  const problems = [...others, ...snapshot.tasks.flatMap((task) => task.problems)];
  if (problems.length === 0) {
    return [ok('files', `${count(snapshot.tasks.length, 'task')}, all files readable`)];
  }
  return problems.map((found) => {
    const message = `${found.file}:${found.line} ${found.code} ${found.message}`;
    return found.severity === 'error'
      ? wrong('files', message, found.fix)
      : warn('files', message, found.fix);
  });
}

function checkProjects(context: CommandContext, snapshot: Snapshot): readonly DoctorFinding[] {
  const missing = snapshot.projects.filter((project) => {
    const state = context.files.stat(project.path);
    return !state.ok || state.value.kind === 'absent';
  });
  const known = new Set(snapshot.projects.map((project) => project.name));
  const orphans = snapshot.tasks.filter(
    (task) => !known.has(task.fields.project) && !isTerminal(task.fields.status),
  );
  return [
    ...missing.map((project) =>
      wrong(
        'project',
        `the repository of ${project.name} is not at ${project.path}`,
        `Say where it is: orange project update ${project.name} --path PATH`,
      ),
    ),
    ...orphans.map((task) =>
      wrong(
        'project',
        `${nameTask(task)} belongs to project ${task.fields.project}, which is not registered`,
        `Register it: orange project add PATH --name ${task.fields.project}`,
      ),
    ),
  ];
}

/** What is out of place among processes, sessions, worktrees and files. */
async function checkPlaces(context: CommandContext): Promise<readonly DoctorFinding[]> {
  const found = await context.doctor.diagnose();
  if (!found.ok) return [fromFailure('places', found.failure)];
  if (found.value.length > 0) return found.value.map(fromFinding);
  return [ok('places', 'everything is where it belongs')];
}

async function checkSessions(
  context: CommandContext,
  snapshot: Snapshot,
): Promise<readonly DoctorFinding[]> {
  const live = await listSessions(context);
  const dead = snapshot.tasks.filter((task) => task.session === 'crashed');
  const found = dead.map((task) =>
    warn(
      'session',
      `the agent of ${nameTask(task)} is not running (${task.fields.status})`,
      `Start it again: orange task respawn ${task.fields.id}`,
    ),
  );
  return found.length > 0 ? found : [ok('session', count(live.length, 'session'))];
}

// No server, or no tmux, means no sessions; what is missing is reported elsewhere.
async function listSessions(
  context: CommandContext,
): Promise<readonly { readonly session: string; readonly taskId: string }[]> {
  const socket = await tmuxSocket(context);
  const state = socket.ok ? context.files.stat(socket.value) : socket;
  if (!socket.ok || !state.ok || state.value.kind === 'absent') return [];
  const path = context.env['PATH'] ?? '';
  const listed = await runTmux(
    { socket: socket.value, conf: '/dev/null', env: { PATH: path, TERM: 'dumb' } },
    [['list-sessions', '-F', '#{@orange_task}:#{session_name}']],
  );
  if (!listed.ok) return [];
  return listed.value
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return { taskId: line.slice(0, colon), session: line.slice(colon + 1) };
    })
    .filter(({ taskId }) => taskId !== '');
}

function checkWorktrees(context: CommandContext, snapshot: Snapshot): readonly DoctorFinding[] {
  const { workspacesDir } = context.paths;
  const state = context.files.stat(workspacesDir);
  if (!state.ok) return [fromFailure('worktree', state.failure)];
  if (state.value.kind === 'absent') return [ok('worktree', 'no worktrees yet')];
  const names = context.files.list(workspacesDir);
  if (!names.ok) return [fromFailure('worktree', names.failure)];
  const present = names.value.filter((name) => !name.startsWith('.'));
  const known = new Map(snapshot.workspaces.map((row) => [row.workspace, row]));
  const strays = present.filter((name) => !known.has(name));
  const gone = snapshot.tasks.filter(
    ({ fields }) =>
      fields.workspace !== null &&
      !isTerminal(fields.status) &&
      !present.includes(fields.workspace),
  );
  const quarantined = snapshot.workspaces.filter((row) => row.status === 'quarantined');
  const found = [
    ...strays.map((name) =>
      warn(
        'worktree',
        `${join(workspacesDir, name)} belongs to no pool`,
        'Look at it; orange workspace gc drops it when it is clean.',
      ),
    ),
    ...gone.map((task) =>
      wrong(
        'worktree',
        `${task.fields.workspace ?? ''} of ${taskName(task)} is gone`,
        `Start the task again: orange task respawn ${task.fields.id}`,
      ),
    ),
    ...quarantined.map((row) =>
      warn(
        'worktree',
        `${row.path} is set aside`,
        'Look at it; it is used no more until it is clean.',
      ),
    ),
  ];
  return found.length > 0
    ? found
    : [ok('worktree', `${count(present.length, 'worktree')}, all accounted for`)];
}
