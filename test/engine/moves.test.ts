import { describe, expect, it } from 'vitest';
import type { MoveRefusal } from '../../src/domain/move-refusal.js';
import type { Actor } from '../../src/domain/request.js';
import type { Artifacts } from '../../src/domain/section.js';
import { DEFAULT_SETTINGS, type Settings } from '../../src/domain/settings.js';
import { isTerminal, STATUSES, type Status } from '../../src/domain/status.js';
import { countingVerdict, isLegalMove, refuseMove } from '../../src/engine/moves.js';
import { AGENT_MOVES, eachPair, LEGAL_MOVES } from '../builders/legal-moves.js';
import { buildTaskIn, HANDOFF, PLAN, verdict, type TaskParts } from '../builders/task.js';
import { buildSettings } from '../builders/world.js';

const ACTORS: readonly Actor[] = ['human', 'agent', 'daemon'];

/** What a move needs to be made, where it needs something. */
const NEEDS: Readonly<Record<string, Partial<Artifacts>>> = {
  'planning>working': PLAN,
  'clarification>working': PLAN,
  'working>agent-review': HANDOFF,
  'working>reviewing': HANDOFF,
  'agent-review>reviewing': verdict('PASS'),
  'agent-review>working': verdict('FAIL'),
};

/** Settings in which the one move that a policy closes is open. */
const OPEN: Settings = buildSettings({
  policy: { gates: { ...DEFAULT_SETTINGS.policy.gates, review: 'human' } },
});

function refusal(
  from: Status,
  to: Status,
  given: { readonly actor?: Actor; readonly settings?: Settings; readonly task?: TaskParts } = {},
): MoveRefusal | null {
  const task = buildTaskIn(from, given.task);
  const { actor = 'human', settings = DEFAULT_SETTINGS } = given;
  return refuseMove({ task, to, actor, settings });
}

describe('the move table', () => {
  const rows = eachPair().flatMap(({ from, to }) => ACTORS.map((actor) => ({ from, to, actor })));

  it.each(rows)('ORA-28 $from → $to asked by $actor with its artifact', ({ from, to, actor }) => {
    const move = `${from}>${to}`;
    const task = { artifacts: NEEDS[move] ?? {} };
    const seen = refusal(from, to, { actor, settings: OPEN, task })?.kind ?? null;
    expect(seen).toBe(expectedKind(from, to, actor));
  });

  it.each(rows)(
    'ORA-62 $from → $to asked by $actor without its artifact',
    ({ from, to, actor }) => {
      const move = `${from}>${to}`;
      const allowed = expectedKind(from, to, actor);
      const expected = allowed === null && move in NEEDS ? 'artifact-missing' : allowed;
      expect(refusal(from, to, { actor, settings: OPEN })?.kind ?? null).toBe(expected);
    },
  );

  it('ORA-73 nothing leaves a terminal status, whoever asks', () => {
    for (const from of STATUSES.filter(isTerminal)) {
      for (const to of STATUSES) {
        expect(isLegalMove(from, to)).toBe(false);
        expect(refusal(from, to)).toEqual({ kind: 'terminal' });
      }
    }
  });

  it('ORA-72 knows the nine statuses and no other', () => {
    expect(STATUSES).toHaveLength(9);
    const known = eachPair().filter(({ from, to }) => isLegalMove(from, to));
    expect(known.map(({ from, to }) => `${from}>${to}`).toSorted()).toEqual(LEGAL_MOVES.toSorted());
  });
});

function expectedKind(from: Status, to: Status, actor: Actor): MoveRefusal['kind'] | null {
  const move = `${from}>${to}`;
  if (isTerminal(from)) return 'terminal';
  if (!LEGAL_MOVES.includes(move)) return 'no-such-move';
  return actor === 'agent' && !AGENT_MOVES.includes(move) ? 'not-for-agents' : null;
}

describe('the way back from clarification', () => {
  it('to working is open without a Plan for a task that asked while working', () => {
    expect(refusal('clarification', 'working', { task: { cameFrom: 'working' } })).toBeNull();
  });

  it('to working needs a Plan for a task that asked while planning', () => {
    const task: TaskParts = { cameFrom: 'planning' };
    const missing = { kind: 'artifact-missing', section: 'Plan' };
    expect(refusal('clarification', 'working', { task })).toEqual(missing);
    expect(refusal('clarification', 'working', { task: { ...task, artifacts: PLAN } })).toBeNull();
  });

  it('is no way around a plan gate that waits for a human', () => {
    const settings = buildSettings({
      policy: { gates: { ...DEFAULT_SETTINGS.policy.gates, plan: 'human' } },
    });
    const given = { settings, actor: 'agent' } as const;
    const closed = { kind: 'gate-closed', gate: 'plan', mode: 'human' };
    const asked = { cameFrom: 'planning', artifacts: PLAN } as const;
    expect(refusal('clarification', 'working', { ...given, task: asked })).toEqual(closed);
    const worked = { cameFrom: 'working', artifacts: PLAN } as const;
    expect(refusal('clarification', 'working', { ...given, task: worked })).toBeNull();
  });
});

describe('the plan gate', () => {
  const task: TaskParts = { artifacts: PLAN };

  it.each([
    ['auto', 'daemon', null],
    ['auto', 'agent', null],
    ['skip', 'agent', null],
    ['human', 'agent', 'gate-closed'],
    ['human', 'daemon', 'gate-closed'],
    ['human', 'human', null],
    ['ai', 'agent', 'gate-closed'],
    ['ai', 'human', null],
  ] as const)('as %s answers a valid Plan asked by %s with %s', (plan, actor, expected) => {
    const settings = buildSettings({
      policy: { gates: { ...DEFAULT_SETTINGS.policy.gates, plan } },
    });
    expect(refusal('planning', 'working', { actor, settings, task })?.kind ?? null).toBe(expected);
  });
});

describe('the review gate for working → reviewing', () => {
  it.each([
    ['ai', { kind: 'gate-closed', gate: 'review', mode: 'ai' }],
    ['auto', null],
    ['skip', null],
    ['human', null],
  ] as const)('as %s gives %o', (review, expected) => {
    const settings = buildSettings({
      policy: { gates: { ...DEFAULT_SETTINGS.policy.gates, review } },
    });
    const task: TaskParts = { artifacts: HANDOFF };
    expect(refusal('working', 'reviewing', { settings, task })).toEqual(expected);
  });
});

describe('the verdict', () => {
  it.each([
    { to: 'reviewing', word: 'PASS', round: 1, expected: null },
    {
      to: 'reviewing',
      word: 'FAIL',
      round: 1,
      expected: { kind: 'verdict-says', verdict: 'FAIL' },
    },
    { to: 'working', word: 'FAIL', round: 1, expected: null },
    { to: 'working', word: 'PASS', round: 1, expected: { kind: 'verdict-says', verdict: 'PASS' } },
    { to: 'working', word: 'FAIL', round: 2, expected: { kind: 'rounds-used', round: 2, max: 2 } },
    { to: 'working', word: 'FAIL', round: 3, expected: { kind: 'rounds-used', round: 3, max: 2 } },
    { to: 'stuck', word: 'PASS', round: 1, expected: null },
  ] as const)('ORA-62 $word in round $round to $to gives $expected', (row) => {
    const task: TaskParts = {
      artifacts: verdict(row.word),
      reviewStartedRound: row.round,
      fields: { review_round: row.round },
    };
    expect(refusal('agent-review', row.to, { actor: 'agent', task })).toEqual(row.expected);
  });

  it('ORA-62 does not count before a reviewer has started in this round', () => {
    const task: TaskParts = {
      artifacts: verdict('PASS'),
      reviewStartedRound: 1,
      fields: { review_round: 2 },
    };
    expect(countingVerdict(buildTaskIn('agent-review', task))).toBeNull();
    expect(refusal('agent-review', 'reviewing', { task })).toEqual({
      kind: 'reviewer-not-started',
    });
  });

  it('ORA-62 does not count when the file is a copy from an earlier round', () => {
    const current = buildTaskIn('agent-review', {
      artifacts: verdict('FAIL'),
      reviewStartedRound: 2,
      fields: { review_round: 2 },
    });
    expect(countingVerdict(current)).toBe('FAIL');
    const fields = { ...current.fields, review_round: 1 };
    const claims = { fields, extensions: {}, context: null };
    expect(countingVerdict({ ...current, claims })).toBeNull();
  });

  it('does not count in a task that was never reviewed', () => {
    const fields = { review_round: 0 };
    const task = buildTaskIn('agent-review', {
      artifacts: verdict('PASS'),
      reviewStartedRound: 0,
      fields,
    });
    expect(countingVerdict(task)).toBeNull();
  });
});
