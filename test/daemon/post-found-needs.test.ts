import { describe, expect, it } from 'vitest';
import { LiveWorld } from '../../src/daemon/live-world.js';
import type { TaskNeed } from '../../src/daemon/notice-board.js';
import { postFoundNeeds } from '../../src/daemon/post-found-needs.js';
import type { Diagnostic } from '../../src/domain/diagnostic.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import type { TaskState } from '../../src/domain/world.js';
import { createPaths } from '../../src/record/paths.js';
import { buildTask, buildTaskIn, TASK_ID } from '../builders/task.js';
import { momentAt } from '../builders/world.js';
import { SHOP } from './daemon-home.js';

function worldOf(...tasks: readonly TaskState[]): LiveWorld {
  const world = new LiveWorld();
  world.settings.set('', DEFAULT_SETTINGS);
  world.replaceProjects([SHOP]);
  world.installedHarnesses.add('claude');
  for (const task of tasks) world.putTask(task);
  return world;
}

type Posted = TaskNeed & { readonly subject: string };

function found(world: LiveWorld): readonly Posted[] {
  const needs: Posted[] = [];
  const postNeed = (subject: string, need: TaskNeed) => needs.push({ subject, ...need });
  postFoundNeeds({ home: { paths: createPaths('/h') }, world }, { postNeed }, momentAt());
  return needs;
}

const about = (task: TaskState) => found(worldOf(task)).map((need) => need.about);

const question = (number: number, isAnswered = false) => ({
  number,
  text: `question ${number}`,
  isAnswered,
});

const problem = (message: string): Diagnostic => ({
  code: 'ORA001',
  severity: 'error',
  file: '/h/config.yaml',
  line: 3,
  message,
  fix: '',
});

const kept = (keptEdit: string) => about(buildTaskIn('working', { keptEdit }));
const torn = (text: string) => about(buildTaskIn('working', { problems: [problem(text)] }));

describe('what no decision tells of', () => {
  it('is a further question that an agent writes by hand: it is told first, by its number', () => {
    const asks = (...questions: readonly ReturnType<typeof question>[]) =>
      found(worldOf(buildTaskIn('clarification', { artifacts: { questions } })));
    expect(asks(question(1))).toMatchObject([{ code: 'question', text: 'asks: question 1' }]);
    expect(asks(question(1))[0]).not.toHaveProperty('about');
    expect(asks(question(1), question(2))).toMatchObject([
      { about: '2', text: 'asks: question 2 (and 1 more)' },
    ]);
    expect(asks(question(1), question(2, true))).toMatchObject([
      { about: '2', text: 'asks: question 1' },
    ]);
  });

  it.each<readonly [string, TaskState]>([
    ['unreadable', buildTaskIn('working', { problems: [problem('torn')] })],
    ['unreadable', buildTask({ problems: [problem('torn')] })],
    ['edit-kept', buildTaskIn('working', { keptEdit: 'late-edit-1.md' })],
    ['merge-failed', buildTaskIn('reviewing', { mergeTrouble: 'conflict' })],
    ['dead-end', buildTask({ extensions: { blocked_by: ['gone'] } })],
    ['harness-not-installed', buildTask({ fields: { harness: 'pi' } })],
    ['project-missing', buildTask({ fields: { project: 'site' } })],
  ])('is that a task needs a person: %s', (code, task) => {
    expect(found(worldOf(task))).toMatchObject([{ subject: TASK_ID, code, since: '' }]);
  });

  it('is another cause when other words were kept, and the same when a file is broken otherwise', () => {
    expect(kept('one.md')).not.toEqual(kept('two.md'));
    expect(torn('one')).toEqual(torn('two'));
  });

  it('is a broken file and a worktree that was set aside for a person, by their paths', () => {
    const world = worldOf();
    world.problems.set('/h/config.yaml', [problem('no YAML')]);
    world.quarantined.set('shop--1', { reason: 'no room', failures: 5 });
    world.quarantined.set('shop--2', { reason: 'no room', failures: 1 });
    expect(found(world)).toMatchObject([
      { subject: '/h/config.yaml', code: 'broken-file' },
      { subject: '/h/workspaces/shop--1', code: 'worktree-set-aside' },
    ]);
  });

  it('is nothing of a task that goes on, is over, was put off or is told of by its decision', () => {
    const tasks = [
      buildTaskIn('working'),
      buildTaskIn('done', { problems: [problem('torn')] }),
      buildTask(),
      buildTask({ fields: { harness: 'pi' }, extensions: { hold: 'later' } }),
      buildTaskIn('reviewing'),
      buildTaskIn('stuck'),
    ];
    expect(tasks.flatMap((task) => found(worldOf(task)))).toEqual([]);
  });
});
