import { CLASSES_BY_PART } from '../domain/finding.js';
import { describeFiles, describeTerminals } from '../domain/describe-sources.js';
import { isTerminal } from '../domain/status.js';
import type { RunningDaemon, Snapshot } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { readDaemonStatus, remarkOnVersion } from './commands/daemon-status.js';
import { fromFinding, ok, warn, wrong, type DoctorFinding } from './doctor-finding.js';
import { fromFailure } from './doctor-machine.js';
import { checkSettings } from './doctor-settings.js';
import { nameTask } from './format-task.js';
import { areProjectsInDoubt } from './projects-in-doubt.js';
import { count } from './table.js';
import { unsupervisedTasks } from './tell-unsupervised.js';

/** Whether the record, the daemon, the sessions and the worktrees agree. Changes nothing. */
export async function checkRecord(context: CommandContext): Promise<readonly DoctorFinding[]> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return [fromFailure('record', snapshot.failure)];
  return [
    ...(await checkDaemon(context, snapshot.value)),
    ...(await checkSettings(context, snapshot.value)),
    ...checkProjects(context, snapshot.value),
    ...(await checkPlaces(context, snapshot.value)),
  ];
}

async function checkDaemon(
  context: CommandContext,
  snapshot: Snapshot,
): Promise<readonly DoctorFinding[]> {
  const status = await readDaemonStatus(context);
  if (!status.ok) return [fromFailure('daemon', status.failure)];
  if (status.value.running) {
    const remark = remarkOnVersion(status.value.version, context.version);
    return [
      ok('daemon', `running, pid ${status.value.pid}`),
      ...(remark === null ? [] : [warn('daemon', remark, 'At once: orange daemon restart')]),
      ...checkSources(status.value),
    ];
  }
  if (status.value.pid !== undefined) {
    const remedy = 'Replace it: orange daemon restart; agents keep running';
    return [warn('daemon', `pid ${status.value.pid} does not answer`, remedy)];
  }
  const lock = context.files.stat(context.paths.lockFile);
  const isLocked = lock.ok && lock.value.kind !== 'absent';
  const tasks = unsupervisedTasks(snapshot);
  return [
    tasks === 0
      ? ok('daemon', 'not running; it starts with the next change')
      : warn(
          'daemon',
          `not running, so nobody looks after ${count(tasks, 'task')} at work`,
          'Start it: orange daemon start',
        ),
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

function checkSources({ sources, uptime_s }: RunningDaemon): readonly DoctorFinding[] {
  return [describeTerminals(sources.terminals, uptime_s), describeFiles(sources.files)].map(
    ({ isHealthy, text, remedy }) =>
      isHealthy ? ok('events', text) : warn('events', text, remedy),
  );
}

function checkProjects(context: CommandContext, snapshot: Snapshot): readonly DoctorFinding[] {
  const missing = snapshot.projects.filter((project) => {
    const state = context.files.stat(project.path);
    return !state.ok || state.value.kind === 'absent';
  });
  const known = new Set(snapshot.projects.map((project) => project.name));
  // What is wrong with the file itself is told once, with its own finding.
  const orphans = areProjectsInDoubt(context, snapshot)
    ? []
    : snapshot.tasks.filter(
        ({ fields }) => !known.has(fields.project) && !isTerminal(fields.status),
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

/** What is out of place, and a good word for every part of the home in which nothing is. */
async function checkPlaces(
  context: CommandContext,
  snapshot: Snapshot,
): Promise<readonly DoctorFinding[]> {
  const found = await context.doctor.diagnose();
  if (!found.ok) return [fromFailure('home', found.failure)];
  const classes = new Set(found.value.map((finding) => finding.class));
  const fine = PRAISE.filter(([part]) => !CLASSES_BY_PART[part].some((each) => classes.has(each)));
  return [
    ...found.value.map(fromFinding),
    ...fine.map(([part, praise]) => ok(part, praise(snapshot))),
  ];
}

type Part = keyof typeof CLASSES_BY_PART;

const PRAISE: readonly (readonly [Part, (snapshot: Snapshot) => string])[] = [
  ['files', ({ tasks }) => `${count(tasks.length, 'task')}, all files readable`],
  [
    'session',
    ({ tasks }) => {
      const active = tasks.filter(({ session }) => session === 'active');
      return `${count(active.length, 'session')}, each with its task`;
    },
  ],
  ['worktree', ({ workspaces }) => `${count(workspaces.length, 'worktree')}, all accounted for`],
];
