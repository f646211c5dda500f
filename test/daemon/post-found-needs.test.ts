import { describe, expect, it } from 'vitest';
import type { TaskNeed } from '../../src/daemon/notice-board.js';
import { postFoundNeeds } from '../../src/daemon/post-found-needs.js';
import { buildTask, buildTaskIn } from '../builders/task.js';
import { buildWorld, momentAt } from '../builders/world.js';

function found(world: Parameters<typeof postFoundNeeds>[0]): readonly TaskNeed[] {
  const needs: TaskNeed[] = [];
  postFoundNeeds(world, { postNeed: (_, need) => needs.push(need) }, momentAt());
  return needs;
}

const question = (number: number, isAnswered = false) => ({
  number,
  text: `question ${number}`,
  isAnswered,
});

describe('what no decision tells of', () => {
  it('is a further question that an agent writes by hand: it is told first, by its number', () => {
    const asks = (...questions: readonly ReturnType<typeof question>[]) =>
      found(buildWorld({ tasks: [buildTaskIn('clarification', { artifacts: { questions } })] }));
    expect(asks(question(1))).toMatchObject([{ code: 'question', text: 'asks: question 1' }]);
    expect(asks(question(1))[0]).not.toHaveProperty('about');
    expect(asks(question(1), question(2))).toMatchObject([
      { about: '2', text: 'asks: question 2 (and 1 more)' },
    ]);
    expect(asks(question(1), question(2, true))).toMatchObject([
      { about: '2', text: 'asks: question 1' },
    ]);
  });

  it('is nothing of a task that goes on or is over', () => {
    const tasks = [buildTaskIn('working'), buildTaskIn('done'), buildTask()];
    expect(tasks.flatMap((task) => found(buildWorld({ tasks: [task] })))).toEqual([]);
  });
});
