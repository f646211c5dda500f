import { describe, expect, it } from 'vitest';
import { describeNeed } from '../../src/domain/describe-need.js';
import type { Finalization } from '../../src/domain/finalization.js';
import type { TaskView, WaitReason } from '../../src/domain/task-view.js';
import { chipsOf } from '../../src/tui/chips.js';
import { detailLines } from '../../src/tui/detail-view.js';
import { columnsOf } from '../../src/tui/display-text.js';
import type { Tone } from '../../src/tui/palette.js';
import { columnsFor, rowView } from '../../src/tui/row-view.js';
import { waitLine } from '../../src/tui/wait-label.js';
import { LIMITS, NOW, taskView, waitingTask } from './task-views.js';

const login = taskView({ fields: { id: 'id-login', branch: 'login' } });
const other = taskView({ fields: { id: 'id-api', project: 'api', branch: 'v2' } });
const OTHERS = [login, other];
const { fields } = waitingTask('search');

const text = (spans: readonly { readonly text: string }[]): string =>
  spans.map((part) => part.text).join('');

function chips(task: TaskView): string {
  return text(chipsOf(task, OTHERS, { hasPullRequest: true })).trimEnd();
}

function toneOf(reason: WaitReason): Tone | undefined {
  return chipsOf(waitingTask('a', [reason]), [], { hasPullRequest: false })[0]?.tone;
}

describe('why a task waits, in a few words', () => {
  const told: readonly (readonly [WaitReason, string])[] = [
    [{ code: 'blocked', message: 'blocked by id-login (working)' }, 'blocked by login'],
    [
      { code: 'blocked', message: 'blocked by id-api (pending), which waits for x (stuck)' },
      'blocked by api/v2',
    ],
    [{ code: 'blocked', message: 'blocked by nobody (pending)' }, 'blocked by nobody'],
    [
      describeNeed({ kind: 'dead-end', blocker: 'id-login', isCancelled: true }, fields),
      'dead end: login cancelled',
    ],
    [
      describeNeed({ kind: 'dead-end', blocker: 'gone', isCancelled: false }, fields),
      'dead end: gone does not exist',
    ],
    [describeNeed({ kind: 'cycle', path: ['a', 'b', 'a'] }, fields), 'cycle'],
    [
      { code: 'held', message: 'held: not spawned (orange task spawn starts it)' },
      'held: not spawned',
    ],
    [{ code: 'backlog', message: 'in the backlog' }, 'backlog'],
    [{ code: 'assigned', message: 'assigned to Pat' }, 'assigned to Pat'],
    [describeNeed({ kind: 'start-gate' }, fields), 'needs approval'],
    [{ code: 'pool-full', message: 'all 2 worktrees of shop are in use: …' }, 'pool full'],
    [{ code: 'global-limit', message: '2 of at most 2 tasks are at work' }, 'global limit'],
    [describeNeed({ kind: 'harness-not-installed', harness: 'x' }, fields), 'harness missing'],
    [describeNeed({ kind: 'project-missing' }, fields), 'project missing'],
    [{ code: 'reserved', message: 'waits for files of shop/login (src/)' }, 'files reserved'],
    [describeNeed({ kind: 'budget' }, fields), 'budget is 0'],
    [describeNeed({ kind: 'start-failed', reason: 'no room' }, fields), 'start failed'],
    [{ code: 'starting', message: 'being started: npm ci' }, 'being started: npm ci'],
    [describeNeed({ kind: 'unreadable', problem: 'bad line' }, fields), 'unreadable'],
    [describeNeed({ kind: 'fault', problem: 'ORA095' }, fields), 'fault'],
    [{ code: 'from-a-newer-daemon', message: 'something new' }, 'from-a-newer-daemon'],
  ];

  it.each(told)('%o is told as %s', (reason, words) => {
    expect(waitLine(waitingTask('search', [reason]), OTHERS)).toBe(words);
  });

  it('tells every reason in the queue, and the first in a chip', () => {
    const task = waitingTask('search', [
      { code: 'held', message: 'held: by hand' },
      { code: 'pool-full', message: 'full' },
    ]);
    expect(waitLine(task, OTHERS)).toBe('held: by hand · pool full');
    expect(chips(task)).toBe('[held: by hand +1]');
  });

  it('keeps a chip short, whatever it says', () => {
    const held = waitingTask('search', [{ code: 'held', message: `held: ${'日'.repeat(99)}` }]);
    expect(columnsOf(chips(held))).toBeLessThanOrEqual(26);
  });

  it('says nothing that the status says already', () => {
    expect(chips(taskView({ fields: { status: 'reviewing' } }))).toBe('');
    expect(chips(taskView({ fields: { status: 'stuck' } }))).toBe('');
    expect(chips(waitingTask('next'))).toBe('');
  });

  it('is yellow where a person has to do something', () => {
    const dead = describeNeed({ kind: 'dead-end', blocker: 'x', isCancelled: true }, fields);
    expect(toneOf(dead)).toEqual({ color: 'yellow' });
    expect(toneOf({ code: 'pool-full', message: '' })).toEqual({ isDim: true });
  });
});

function finalized(parts: Partial<Finalization> = {}): TaskView {
  const found: Finalization = {
    ready: true,
    risk: 'Low',
    action: 'auto-merge',
    files: 1,
    lines: 20,
    conflicts: 0,
    conflicting: [],
    behind: 0,
    head: 'a'.repeat(40),
    ...parts,
  };
  return taskView({ fields: { status: 'reviewing' }, finalized: found });
}

describe('the risk of a merge', () => {
  const tones: readonly (readonly [Finalization['risk'], boolean, string, string])[] = [
    ['Low', true, '[risk Low ✓]', 'green'],
    ['Medium', true, '[risk Medium ✓]', 'yellow'],
    ['High', true, '[risk High ✓]', 'red'],
    ['Critical', true, '[risk Critical ✓]', 'red'],
    ['Low', false, '[risk Low ✗]', 'red'],
  ];

  it.each(tones)('%s, ready %s, is %s in %s', (risk, ready, chip, color) => {
    const task = finalized({ risk, ready });
    expect(chips(task)).toBe(chip);
    expect(chipsOf(task, [], { hasPullRequest: false })[0]?.tone.color).toBe(color);
  });

  it('stands before the summary in the list, and in full below it', () => {
    const task = finalized({ risk: 'Medium', files: 12, lines: 350, conflicts: 1, behind: 3 });
    const columns = columnsFor(80, 14);
    const place = { name: 'shop/dark-mode', slot: '[1]', isSelected: false, nowMs: NOW };
    const { line } = rowView({ task, columns, others: [], ...place });
    expect(text(line)).toContain('[risk Medium ✓] Add a dark');
    expect(columnsOf(text(line))).toBeLessThanOrEqual(80);
    const detail = detailLines({
      task,
      others: [],
      limits: LIMITS,
      width: 120,
      height: 20,
      nowMs: NOW,
    });
    expect(detail.map(text)).toContain(
      'risk Medium · ready to merge · auto-merge · 12 files, 350 lines, 1 conflict, 3 behind',
    );
  });
});
