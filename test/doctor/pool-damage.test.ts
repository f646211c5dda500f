import { describe, expect, it } from 'vitest';
import { findPoolDamage } from '../../src/doctor/pool-damage.js';
import type { SurveyedPool } from '../../src/doctor/survey.js';
import type { PoolRow } from '../../src/domain/pool.js';
import { parsePool } from '../../src/record/pool-file.js';
import { buildSurvey, surveyedWorktree } from '../builders/survey.js';
import { buildTaskIn } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';

const BOUND = { status: 'bound', task: 'shop/dark-mode' } as const;
const FREE = { status: 'available' } as const;

function read(workspaces: Readonly<Record<string, PoolRow>>): SurveyedPool {
  return { kind: 'read', pool: { workspaces } };
}

/** What is said of a pool file in a home where shop--1 is bound and shop--2 is free. */
function complaints(pool: SurveyedPool): readonly string[] {
  const survey = buildSurvey({
    world: buildWorld({ tasks: [buildTaskIn('working')] }),
    worktrees: ['shop--1', 'shop--2'].map((workspace) => surveyedWorktree({ workspace })),
    pool,
  });
  const prefix = `${survey.poolFile} `;
  return findPoolDamage(survey).map(({ message }) => message.replace(prefix, ''));
}

describe('the pool file', () => {
  it('that says what the tasks and the disk say is fine', () => {
    expect(complaints(read({ 'shop--1': BOUND, 'shop--2': FREE }))).toEqual([]);
    expect(complaints(read({ 'shop--1': BOUND }))).toEqual([]);
  });

  it.each([
    ['{"workspaces":{"shop--1":', 'line 1: not valid JSON'],
    ['', 'line 1: not valid JSON'],
    ['[]', 'line 1: `workspaces` is missing or not an object'],
    ['{"workspaces":{\n"shop--1":{"status":"bound"}}}', 'line 2: a bound worktree has no task'],
  ])('F20 that is damaged (%j) is never an empty pool', (text, said) => {
    const parsed = parsePool(text, '/pool');
    const failure = parsed.ok ? null : parsed.failure;
    const diagnostics = failure?.kind === 'file-rejected' ? failure.diagnostics : [];
    expect(complaints({ kind: 'damaged', diagnostics })).toEqual([expect.stringContaining(said)]);
  });

  it.each([
    ['is gone', { kind: 'absent' }, ['is missing']],
    ['is empty', read({}), ['lacks shop--1, which shop/dark-mode has']],
    [
      'is of an older generation',
      read({ 'shop--1': FREE, 'shop--2': { status: 'bound', task: 'shop/past' } }),
      [
        'says that shop--1 is free, but it is bound to shop/dark-mode; ' +
          'says that shop--2 is bound to shop/past, but it is free',
      ],
    ],
    [
      'lists a worktree that is gone',
      read({ 'shop--1': BOUND, 'shop--3': FREE }),
      ['lists shop--3, which does not exist'],
    ],
  ] as const)('F20 that %s is told', (_, pool, then) => {
    expect(complaints(pool)).toEqual(then);
  });

  it('that does not exist in a home without worktrees is fine', () => {
    expect(findPoolDamage(buildSurvey())).toEqual([]);
  });
});
