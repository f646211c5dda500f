import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/domain/decision.js';
import { keptWordsName } from '../../src/domain/kept-words.js';
import { SECTION_NAMES } from '../../src/domain/section.js';
import type { TaskFields } from '../../src/domain/task.js';
import type { Claims, TaskState } from '../../src/domain/world.js';
import { findClaims } from '../../src/engine/find-claims.js';
import { resolveClaims } from '../../src/engine/resolve-claims.js';
import { updateOf as update } from '../builders/decision-parts.js';
import { buildTask, buildTaskIn, HANDOFF, PLAN, verdict } from '../builders/task.js';
import { buildWorld, momentAt } from '../builders/world.js';

type Claimed = Partial<Omit<Claims, 'fields'>> & { readonly fields?: Partial<TaskFields> };

function resolve(task: TaskState, claimed: Claimed): Decision {
  const { fields, ...rest } = claimed;
  const claims = {
    fields: { ...task.fields, ...fields },
    extensions: task.extensions,
    context: task.context,
    ...rest,
  };
  return resolveClaims(buildWorld({ tasks: [task] }), { ...task, claims }, momentAt());
}

describe('a status that was edited in the file', () => {
  it('ORA-28 is a request: it is granted by the table and the gates', () => {
    const decision = resolve(buildTaskIn('working'), { fields: { status: 'clarification' } });
    expect(update(decision)).toMatchObject({
      fields: { status: 'clarification' },
      events: [{ type: 'status.changed', from: 'working', to: 'clarification', by: 'agent' }],
      runtime: { claims: null },
    });
    expect(decision.effects).toMatchObject([{ kind: 'notify-human', cause: 'clarification' }]);
  });

  it.each([
    ['no-such-move', buildTaskIn('planning'), 'reviewing'],
    ['not-for-agents', buildTaskIn('reviewing'), 'done'],
    ['not-for-agents', buildTask(), 'planning'],
    ['terminal', buildTaskIn('done'), 'pending'],
    ['no ## Plan', buildTaskIn('planning'), 'working'],
    ['no ## Handoff', buildTaskIn('working'), 'agent-review'],
    ['no ## Review', buildTaskIn('agent-review'), 'reviewing'],
    [
      'the verdict is FAIL',
      buildTaskIn('agent-review', { artifacts: verdict('FAIL') }),
      'reviewing',
    ],
    ['reviewer-not-started', buildTaskIn('agent-review', { reviewStartedRound: 0 }), 'reviewing'],
    [
      'the plan gate waits for human',
      buildTaskIn('planning', { artifacts: PLAN, extensions: { gates: { plan: 'human' } } }),
      'working',
    ],
  ] as const)('ORA-37 is put back with the reason %s', (reason, task, status) => {
    const { fields, events, runtime } = update(resolve(task, { fields: { status } }));
    expect(fields).toEqual({});
    expect(events).toEqual([
      { type: 'frontmatter.rejected', field: 'status', value: status, reason },
    ]);
    expect(runtime.claims).toBeNull();
  });

  it('F34 is told to the agent with the reason and what would make it possible, once', () => {
    const task = buildTaskIn('working');
    const first = resolve(task, { fields: { status: 'done' } });
    const status =
      'Status working → done is refused: only a person may ask for this move. Ask the person who supervises this task: orange task ask "QUESTION"';
    expect(first.effects).toMatchObject([
      {
        kind: 'tell-agent',
        window: 'worker',
        message: { kind: 'put-back', context: null, status },
      },
    ]);
    const told: TaskState = { ...task, ...update(first).runtime };
    expect(resolve(told, { fields: { status: 'done' } }).effects).toEqual([]);
    expect(resolve(told, { fields: { status: 'cancelled' } }).effects).toHaveLength(1);
    const later: TaskState = { ...told, statusSince: '2026-01-01T20:00:00.000Z' };
    expect(resolve(later, { fields: { status: 'done' } }).effects).toHaveLength(1);
  });

  it('asks with a Handoff as it stands, fresh or not', () => {
    const task = buildTaskIn('working', { artifacts: HANDOFF, handoffStamp: 'handoff-1' });
    const decision = resolve(task, { fields: { status: 'agent-review' } });
    expect(update(decision).fields).toMatchObject({ status: 'agent-review', review_round: 1 });
  });

  it('goes to the human when the reviewer it asks for is not installed', () => {
    const task = buildTaskIn('working', {
      artifacts: HANDOFF,
      fields: { review_harness: 'missing' },
    });
    const { fields, events } = update(resolve(task, { fields: { status: 'agent-review' } }));
    expect(fields.status).toBe('reviewing');
    expect(events).toMatchObject([
      { type: 'gate.decided', gate: 'review', mode: 'human', reason: 'missing is not installed' },
      { type: 'status.changed', to: 'reviewing' },
    ]);
  });

  it('is put back when it comes from a copy older than the record', () => {
    const task = buildTaskIn('working', { fields: { updated_at: '2026-01-01T10:00:00.000Z' } });
    const fields = { status: 'clarification', updated_at: '2026-01-01T09:00:00.000Z' } as const;
    const { fields: written, events } = update(resolve(task, { fields }));
    expect(written).toEqual({});
    expect(events).toEqual([
      {
        type: 'frontmatter.rejected',
        field: 'status',
        value: 'clarification',
        reason: 'stale copy',
      },
    ]);
  });
});

describe('the file of another task, copied over this one', () => {
  const other = buildTaskIn('agent-review', {
    fields: { id: 'another-task', branch: 'other', summary: 'Other work' },
  });

  function resolveCopy(task: TaskState): Decision {
    const claims: Claims = { ...other, extensions: { tags: ['theirs'] }, context: 'Theirs' };
    return resolveClaims(buildWorld({ tasks: [task, other] }), { ...task, claims }, momentAt());
  }

  it.each([
    ['with an agent', buildTaskIn('working', { artifacts: HANDOFF })],
    ['without one', buildTask({ artifacts: PLAN })],
  ])('F34 moves a task %s nowhere, and every field is put back', (_, task) => {
    const decision = resolveCopy(task);
    const { fields, extensions, events } = update(decision);
    expect(decision.effects).toEqual([]);
    expect([fields, extensions]).toEqual([{}, { tags: null }]);
    const refused = events.filter(({ type }) => type === 'frontmatter.rejected');
    expect(refused).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: 'id', reason: 'another task’s file' }),
        expect.objectContaining({ field: 'summary', reason: 'another task’s file' }),
        expect.objectContaining({ field: 'status', reason: 'another task’s file' }),
      ]),
    );
  });

  it('F34 leaves nothing that could count as this one’s questions or work', () => {
    const { sections } = update(resolveCopy(buildTaskIn('working')));
    const transcript = keptWordsName('of-another-task', momentAt().timestamp);
    const others = SECTION_NAMES.filter((name) => name !== 'Context');
    expect(sections.filter(({ section }) => section !== 'Context')).toEqual(
      others.map((section) => ({ kind: 'move-out', section, transcript })),
    );
  });

  it('F34 tells where its sections are kept, which waits for a person', () => {
    const { events, runtime } = update(resolveCopy(buildTaskIn('working', { artifacts: HANDOFF })));
    const transcript = keptWordsName('of-another-task', momentAt().timestamp);
    expect(events).toContainEqual({ type: 'edit.kept', transcript, sections: ['Handoff'] });
    expect(runtime.keptEdit).toBe(transcript);
  });

  it('F34 is not what an agent wrote that only mistook the id of its own file', () => {
    const task = buildTaskIn('working', { artifacts: HANDOFF });
    const fields = { ...task.fields, id: other.fields.id };
    const claims: Claims = { ...task, fields };
    const world = buildWorld({ tasks: [task, other] });
    const { sections, events } = update(resolveClaims(world, { ...task, claims }, momentAt()));
    expect(sections).toEqual([]);
    expect(events).toMatchObject([{ type: 'frontmatter.rejected', field: 'id' }]);
  });
});

describe('fields that were edited in the file', () => {
  it.each([
    ['ORA-29', { review_round: 7 }],
    ['ORA-30', { crash_count: 7 }],
    ['ORA-37', { id: 'another' }],
    ['ORA-37', { project: 'another' }],
    ['ORA-37', { workspace: 'shop--9' }],
    ['ORA-37', { tmux_session: 'elsewhere' }],
    ['ORA-37', { pr_url: 'https://example.org/1' }],
    ['ORA-37', { created_at: '2020-01-01T00:00:00Z' }],
    ['ORA-37', { branch: 'another' }],
    ['ORA-37', { harness: 'codex' }],
    ['ORA-37', { review_harness: 'codex' }],
  ] as const)('%s %o of a task with an agent is put back with an event', (_, fields) => {
    const [field, value] = Object.entries(fields)[0] ?? [];
    const change = update(resolve(buildTaskIn('working'), { fields }));
    expect(change.fields).toEqual({});
    expect(change.events).toMatchObject([{ type: 'frontmatter.rejected', field, value }]);
  });

  it('ORA-31 a summary is the agent’s to change', () => {
    const change = update(resolve(buildTaskIn('working'), { fields: { summary: 'Better' } }));
    expect(change.fields).toEqual({ summary: 'Better' });
    expect(change.events).toEqual([{ type: 'task.updated', fields: ['summary'], by: 'file' }]);
  });

  it('a summary in an old copy does not undo a newer one', () => {
    const task = buildTaskIn('working', { fields: { updated_at: '2026-01-01T10:00:00.000Z' } });
    const fields = { summary: 'As it was', updated_at: '2026-01-01T09:00:00.000Z' };
    const change = update(resolve(task, { fields }));
    expect(change.fields).toEqual({});
    expect(change.events).toMatchObject([{ field: 'summary', reason: 'stale copy' }]);
  });

  it.each([{ harness: 'codex' }, { review_harness: 'codex' }, { branch: 'another' }])(
    'ORA-26 %o is the user’s while no agent is around',
    (fields) => {
      const change = update(resolve(buildTask(), { fields }));
      expect(change.fields).toEqual(fields);
      expect(change.events).toMatchObject([{ type: 'task.updated', by: 'file' }]);
    },
  );

  it('ORA-36 an edited updated_at is overwritten without a word', () => {
    const fields = { updated_at: '2030-01-01T00:00:00Z' };
    expect(update(resolve(buildTaskIn('working'), { fields }))).toMatchObject({
      fields: {},
      events: [],
    });
  });

  it('what is theirs is taken and what is not is put back in the same step', () => {
    const fields = { summary: 'Better', crash_count: 7, status: 'clarification' } as const;
    const change = update(resolve(buildTaskIn('working'), { fields }));
    expect(change.fields).toMatchObject({ summary: 'Better', status: 'clarification' });
    expect(change.fields.crash_count).toBe(0);
    expect(change.events.map(({ type }) => type)).toEqual([
      'task.updated',
      'frontmatter.rejected',
      'status.changed',
    ]);
  });
});

describe('extensions that were edited in the file', () => {
  it('an unknown key is kept', () => {
    const change = update(resolve(buildTaskIn('working'), { extensions: { colour: 'blue' } }));
    expect(change.extensions).toEqual({ colour: 'blue' });
    expect(change.events).toEqual([{ type: 'task.updated', fields: ['colour'], by: 'file' }]);
  });

  it('an unknown key that was taken out stays out', () => {
    const task = buildTaskIn('working', { extensions: { colour: 'blue' } });
    expect(update(resolve(task, { extensions: {} })).extensions).toEqual({ colour: null });
  });

  it('tags are the agent’s to change', () => {
    const change = update(resolve(buildTaskIn('working'), { extensions: { tags: ['ui'] } }));
    expect(change.extensions).toEqual({ tags: ['ui'] });
  });

  it('ORA-37 a key of orange is put back while an agent is around', () => {
    const task = buildTaskIn('working', { extensions: { priority: 'low' } });
    const change = update(resolve(task, { extensions: { priority: 'critical', hold: 'mine' } }));
    expect(change.extensions).toEqual({ priority: 'low', hold: null });
    expect(change.events).toMatchObject([
      { type: 'frontmatter.rejected', field: 'priority', value: 'critical' },
      { type: 'frontmatter.rejected', field: 'hold', value: 'mine' },
    ]);
  });

  it('a key of orange is the user’s while no agent is around', () => {
    const change = update(resolve(buildTask(), { extensions: { priority: 'critical' } }));
    expect(change.extensions).toEqual({ priority: 'critical' });
    expect(change.events).toMatchObject([{ type: 'task.updated', fields: ['priority'] }]);
  });
});

describe('a Review that an old copy brings back', () => {
  it('is taken out again, because it is of another round', () => {
    const task = buildTaskIn('agent-review', {
      artifacts: verdict('FAIL'),
      reviewStartedRound: 2,
      fields: { review_round: 2, updated_at: '2026-01-01T10:00:00.000Z' },
    });
    const updated_at = '2026-01-01T09:00:00.000Z';
    const old = { review_round: 1, status: 'working', updated_at } as const;
    const change = update(resolve(task, { fields: old }));
    expect(change.sections).toEqual([
      {
        kind: 'move-out',
        section: 'Review',
        transcript: keptWordsName('review-1-again', momentAt().timestamp),
      },
    ]);
    expect(change.fields).toEqual({});
  });
});

describe('findClaims', () => {
  const task = buildTask({ extensions: { colour: 'blue' }, context: 'Why.' });
  const { fields, extensions, context } = task;

  it('finds nothing in a file that says what the record says', () => {
    expect(findClaims(task, { fields, extensions, context })).toBeNull();
  });

  it.each([
    ['a field', { fields: { ...fields, summary: 'Other' }, extensions, context }],
    ['a new key', { fields, extensions: { ...extensions, size: 'xl' }, context }],
    ['a missing key', { fields, extensions: {}, context }],
    ['another Context', { fields, extensions, context: null }],
  ])('finds %s', (_, file) => {
    expect(findClaims(task, file)).toEqual(file);
  });
});
