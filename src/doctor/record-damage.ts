import { isAboutLoss, isFault, type Diagnostic } from '../domain/diagnostic.js';
import type { Finding, FindingClass } from '../domain/finding.js';
import { isTerminal, type Status } from '../domain/status.js';
import type { FieldName } from '../domain/task.js';
import type { TaskState } from '../domain/world.js';
import { makeFinding, nameOf } from './make-finding.js';
import type { Survey, SurveyedLink } from './survey.js';

/** Files of the record that cannot be read or that contradict each other. */
export function findRecordDamage(survey: Survey): readonly Finding[] {
  return [
    ...findUnreadable(survey),
    ...findLostProjects(survey),
    ...findTornHistories(survey),
    ...findContradictions(survey),
    ...survey.links.map((link) => describeLink(survey, link)),
    ...findOutboxDamage(survey),
  ];
}

function findUnreadable(survey: Survey): readonly Finding[] {
  const tasks = [...survey.world.tasks.values()];
  const ofTasks = tasks.flatMap((task) =>
    [...task.problems, ...(survey.unnoticed.get(task.fields.id) ?? [])].map((problem) => ({
      problem,
      taskId: task.fields.id,
    })),
  );
  const others = [...survey.problems.values()].flat().map((problem) => ({
    problem,
    taskId: null,
  }));
  return [...ofTasks, ...others].flatMap(({ problem, taskId }): readonly Finding[] => {
    const kind = classOf(survey, problem);
    if (kind === null) return [];
    const isRestorable = kind === 'projects-file' && survey.hasLastGoodProjects;
    const isRewritable = isAboutLoss(problem) && isUnfinished(survey, taskId);
    return [
      makeFinding({
        class: kind,
        severity: problem.severity === 'error' ? 'error' : 'warn',
        message: `${problem.file}:${problem.line} ${problem.code} ${problem.message}`,
        remedy: isRestorable
          ? `${problem.fix}; or bring back what was last valid: orange doctor --fix projects-file`
          : problem.fix,
        fixable: isRestorable || isRewritable ? 'with-fix' : 'by-hand',
        task_id: taskId,
        path: problem.file,
      }),
    ];
  });
}

function isUnfinished({ world }: Survey, taskId: string | null): boolean {
  const task = world.tasks.get(taskId ?? '');
  return task !== undefined && !isTerminal(task.fields.status);
}

function findLostProjects(survey: Survey): readonly Finding[] {
  if (!survey.isProjectsFileGone || !survey.hasLastGoodProjects) return [];
  return [
    makeFinding({
      class: 'projects-file',
      severity: 'error',
      message: `${survey.projectsFile} is gone, and with it every registered project`,
      remedy: 'Bring back what was last valid: orange doctor --fix projects-file',
      fixable: 'with-fix',
      path: survey.projectsFile,
    }),
  ];
}

/** Null: settings, the pool and the outbox have checks of their own. */
function classOf(survey: Survey, problem: Diagnostic): FindingClass | null {
  const { file } = problem;
  if (isFault(problem)) return 'task-fault';
  if (file === survey.projectsFile) return 'projects-file';
  if (file.endsWith('/history.jsonl')) return 'history-lines';
  const isElsewhere =
    file === survey.poolFile ||
    file.startsWith(`${survey.outbox.directory}/`) ||
    /\/(config|orange)\.yaml$/.test(file);
  return isElsewhere ? null : 'task-unreadable';
}

function findTornHistories({ tornHistories }: Survey): readonly Finding[] {
  return tornHistories.map(({ taskId, path }) =>
    makeFinding({
      class: 'history-tail',
      message: `the last line of ${path} was never finished`,
      remedy: 'It is cut off before the next event is written; at once: orange repair --tail',
      fixable: 'safe',
      task_id: taskId,
      path,
    }),
  );
}

function findContradictions(survey: Survey): readonly Finding[] {
  return [...survey.world.tasks.values()].flatMap((task): readonly Finding[] => {
    const { id, status } = task.fields;
    const claimed = claimedStatus(survey, task);
    const others = claimedBeside(survey, task);
    if (claimed === status && others === null) return [];
    const says = claimed === status ? others : `says ${claimed}, its history ${status}`;
    return [
      makeFinding({
        class: 'history-status',
        message: `TASK.md of ${nameOf(task.fields)} ${says}`,
        remedy: claimed === status ? PUT_BACK : remedyFor(survey, status),
        fixable: 'safe',
        task_id: id,
      }),
    ];
  });
}

const PUT_BACK = 'Only orange sets it: the daemon puts it back: orange daemon start';

/** What the engine puts right in a file; a status is told by itself. */
function claimedBeside({ isDaemon }: Survey, { fields, claims }: TaskState): string | null {
  if (isDaemon || claims === null || isTerminal(fields.status)) return null;
  const names = ENGINE_FIELDS.filter((name) => claims.fields[name] !== fields[name]);
  if (names.length === 0) return null;
  const claimed = names.map((name) => `${name} ${claims.fields[name] ?? 'null'}`);
  const known = names.map((name) => fields[name] ?? 'null');
  return `says ${claimed.join(', ')}, its history ${known.join(', ')}`;
}

const ENGINE_FIELDS = [
  'review_round',
  'crash_count',
  'workspace',
  'tmux_session',
  'created_at',
  'updated_at',
] as const satisfies readonly FieldName[];

function claimedStatus(survey: Survey, { fields, claims }: TaskState): Status {
  if (isTerminal(fields.status)) return survey.finishedClaims.get(fields.id) ?? fields.status;
  // While the daemon runs, an edit is judged as soon as the file is quiet.
  return survey.isDaemon ? fields.status : (claims?.fields.status ?? fields.status);
}

function remedyFor({ isDaemon }: Survey, status: Status): string {
  if (!isTerminal(status)) {
    return 'The daemon takes it as a wish and judges it: orange daemon start';
  }
  return isDaemon
    ? `Nothing leaves ${status}: the daemon puts it back; at once: orange doctor --fix history-status`
    : `Nothing leaves ${status}: the daemon puts it back: orange daemon start`;
}

const LINK_STATES: Readonly<
  Record<SurveyedLink['state'], readonly [string, Finding['fixable'], string]>
> = {
  absent: ['is missing', 'safe', 'It is linked again: the daemon does, or orange repair.'],
  elsewhere: [
    'is a link to something else',
    'safe',
    'It is linked again: the daemon does, or orange repair.',
  ],
  copy: [
    'is a file of its own',
    'safe',
    'It is taken over, or kept in transcripts/, once nobody writes to it, and linked again; why it cannot: orange validate PATH',
  ],
  obstacle: ['is no file', 'by-hand', 'Move it away; the link is then made again.'],
};

function describeLink(survey: Survey, { taskId, path, state }: SurveyedLink): Finding {
  const [what, fixable, remedy] = LINK_STATES[state];
  const task = survey.world.tasks.get(taskId);
  const name = task === undefined ? taskId : nameOf(task.fields);
  return makeFinding({
    class: 'task-link',
    message: `${path} should be a link to the file of ${name}, but ${what}`,
    remedy: remedy.replace('PATH', path),
    fixable,
    task_id: taskId,
    path,
  });
}

function findOutboxDamage({ outbox, isDaemon }: Survey): readonly Finding[] {
  const damaged = outbox.damaged.map((path) =>
    makeFinding({
      class: 'outbox',
      severity: 'error',
      message: `${path} cannot be read: what a move still owed is not known`,
      remedy: 'Look at the task it belongs to, then set it aside: orange doctor --fix outbox',
      fixable: 'with-fix',
      path,
    }),
  );
  if (isDaemon || outbox.waiting === 0) return damaged;
  const moves = outbox.waiting === 1 ? '1 move waits' : `${outbox.waiting} moves wait`;
  const waiting = makeFinding({
    class: 'outbox',
    message: `${moves} to be completed`,
    remedy: 'The daemon goes on where it stopped: orange daemon start',
    fixable: 'safe',
    path: outbox.directory,
  });
  return [...damaged, waiting];
}
