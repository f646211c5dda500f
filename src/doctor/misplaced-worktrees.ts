import type { Finding } from '../domain/finding.js';
import { isGivenUp, type SetAside } from '../domain/set-aside.js';
import { isTerminal } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import { findHolders } from './find-holders.js';
import { makeFinding, nameOf } from './make-finding.js';
import type { Survey, SurveyedWorktree } from './survey.js';

/** Worktrees that are not where or what they should be, or that nobody keeps in order. */
export function findMisplacedWorktrees(survey: Survey): readonly Finding[] {
  const holders = findHolders(survey.world);
  return survey.worktrees.flatMap((worktree): readonly Finding[] => {
    const holder = holders.get(worktree.workspace);
    if (holder !== undefined) return judgeHeld(survey, worktree, holder);
    // Its task cannot be read, which is told of elsewhere.
    if (survey.world.withheld?.has(worktree.workspace) === true) return [];
    if (worktree.project === null) return [ownedByNobody(worktree)];
    return judgeIdle(survey, worktree);
  });
}

function judgeHeld(
  survey: Survey,
  worktree: SurveyedWorktree,
  task: TaskState,
): readonly Finding[] {
  // Somebody is just making, freeing or renaming it.
  if (task.activity !== null || isTerminal(task.fields.status)) return [];
  const { path, state, movedTo } = worktree;
  const name = nameOf(task.fields);
  const foreign = (message: string, remedy: string): readonly Finding[] => [
    makeFinding({
      class: 'worktree-foreign',
      message,
      remedy,
      fixable: 'by-hand',
      task_id: task.fields.id,
      path,
    }),
  ];
  switch (state.kind) {
    case 'unseen':
      return [];
    case 'absent':
      if (movedTo === null) return [missing(survey, worktree, task)];
      return foreign(
        `the worktree of ${name} is at ${movedTo} instead of ${path}`,
        `Move it back: git -C ${movedTo} worktree repair && git -C ${movedTo} worktree move ${movedTo} ${path}`,
      );
    case 'unusable':
      return foreign(
        `${path} is not the worktree of ${name} any more: ${state.reason}`,
        state.isRecoverable
          ? `${putBack(survey, worktree)}; the next start of its agent does so, too`
          : `Move it away, then start the task again: orange task respawn ${task.fields.id}`,
      );
    case 'worktree': {
      const { branch } = task.fields;
      if (state.branch === branch) return [];
      const where = state.branch === null ? 'on no branch' : `on ${state.branch}`;
      return foreign(
        `${path} of ${name} is ${where} instead of ${branch}`,
        `Look at it, then: git -C ${path} switch ${branch}`,
      );
    }
  }
}

function putBack({ world }: Survey, { project }: SurveyedWorktree): string {
  const repository = world.projects.get(project ?? '')?.path ?? '<repository>';
  return `Put it back: git -C ${repository} worktree repair`;
}

function missing(survey: Survey, { path }: SurveyedWorktree, task: TaskState): Finding {
  return makeFinding({
    class: 'worktree-missing',
    severity: 'error',
    message: `${path} of ${nameOf(task.fields)} is gone`,
    remedy: survey.isDaemon
      ? 'Make it again from the branch: orange doctor --fix worktree-missing'
      : 'The daemon makes it again when the agent is started: orange daemon start',
    fixable: survey.isDaemon ? 'with-fix' : 'safe',
    task_id: task.fields.id,
    path,
  });
}

function ownedByNobody({ path }: SurveyedWorktree): Finding {
  return makeFinding({
    class: 'worktree-without-task',
    message: `${path} belongs to no registered project`,
    remedy: 'Look at it. orange leaves it alone until its project is registered again.',
    fixable: 'by-hand',
    path,
  });
}

function judgeIdle(survey: Survey, worktree: SurveyedWorktree): readonly Finding[] {
  const { path, state } = worktree;
  if (state.kind === 'absent') return [judgeAbsent(worktree)];
  if (state.kind === 'unusable') {
    return [
      makeFinding({
        class: 'worktree-foreign',
        message: `${path} is not a worktree of ${worktree.project ?? ''}: ${state.reason}`,
        remedy: state.isRecoverable
          ? `${putBack(survey, worktree)}; the next task that gets it does so, too`
          : 'Move it away; nobody is given it.',
        fixable: 'by-hand',
        path,
      }),
    ];
  }
  const unrest = state.kind === 'worktree' ? state.unrest : null;
  const aside = survey.world.quarantined.get(worktree.workspace);
  if (survey.isDaemon && aside !== undefined) return [quarantined(worktree, aside, unrest)];
  if (unrest === null) return [];
  return [
    makeFinding({
      class: 'worktree-without-task',
      message: `${path} is held by no task, but ${unrest}`,
      remedy: 'Save what is in it and free it: orange doctor --fix worktree-without-task',
      fixable: 'with-fix',
      path,
    }),
  ];
}

function judgeAbsent({ path, isListed, isLocked, movedTo }: SurveyedWorktree): Finding {
  if (movedTo !== null) {
    return makeFinding({
      class: 'worktree-foreign',
      message: `the idle worktree ${path} was moved to ${movedTo}`,
      remedy: `Tell git where it is, then orange makes another one: git -C ${movedTo} worktree repair`,
      fixable: 'by-hand',
      path,
    });
  }
  if (isLocked) {
    return makeFinding({
      class: 'worktree-foreign',
      message: `the idle worktree ${path} is gone, but somebody locked it`,
      remedy: `Bring it back, or let git forget it: git worktree unlock ${path}`,
      fixable: 'by-hand',
      path,
    });
  }
  if (isListed) {
    return makeFinding({
      class: 'worktree-missing',
      message: `the idle worktree ${path} is gone`,
      remedy: 'The daemon makes it again by itself; at once: orange doctor --fix worktree-missing',
      fixable: 'safe',
      path,
    });
  }
  return makeFinding({
    class: 'worktree-record',
    message: `git still has ${path} on record, which is gone`,
    remedy:
      'The daemon has git forget it, staged work saved first; at once: orange doctor --fix worktree-record',
    fixable: 'safe',
    path,
  });
}

function quarantined({ path }: SurveyedWorktree, aside: SetAside, unrest: string | null): Finding {
  const given = isGivenUp(aside);
  return makeFinding({
    class: 'quarantined',
    severity: given ? 'error' : 'warn',
    message: `${path} is set aside: ${unrest ?? aside.reason}`,
    remedy: given
      ? 'It could not be made anew. See to the reason, then: orange doctor --fix quarantined'
      : 'The daemon tries again now and then; at once: orange doctor --fix quarantined',
    fixable: given ? 'with-fix' : 'safe',
    path,
  });
}
