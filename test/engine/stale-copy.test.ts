import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/domain/decision.js';
import type { TaskFields } from '../../src/domain/task.js';
import type { OwnWrite, TaskState } from '../../src/domain/world.js';
import { resolveClaims } from '../../src/engine/resolve-claims.js';
import { updateOf as update } from '../builders/decision-parts.js';
import { buildTaskIn, HANDOFF, verdict, type TaskParts } from '../builders/task.js';
import { buildWorld, momentAt } from '../builders/world.js';

const THEN = '2026-01-01T10:00:00.000Z';
const NOW = '2026-01-01T11:00:00.000Z';

type Course = {
  /** What the record said when the copy was read. */
  readonly read: Partial<TaskFields>;
  /** The statuses that were written since, before the present one. */
  readonly since?: readonly TaskFields['status'][];
  readonly copy: Partial<TaskFields>;
};

/** A copy that was read at THEN, changed, and saved over a record that was written at NOW. */
function save(status: TaskFields['status'], course: Course, parts: TaskParts = {}): Decision {
  const fields = { ...parts.fields, updated_at: NOW };
  const task = buildTaskIn(status, { ...parts, fields });
  const read: TaskFields = { ...task.fields, ...course.read, updated_at: THEN };
  const writes = [read, ...statesSince(task, course), task.fields];
  const ownWrites = writes.map((each): OwnWrite => {
    return { fields: each, extensions: {}, status: each.status };
  });
  const claims = { ...task, extensions: {}, fields: { ...read, ...course.copy } };
  const now: TaskState = { ...task, ownWrites, claims };
  return resolveClaims(buildWorld({ tasks: [task] }), now, momentAt());
}

function statesSince({ fields }: TaskState, { since = [] }: Course): readonly TaskFields[] {
  return since.map((status, index) => {
    return { ...fields, status, updated_at: `2026-01-01T10:30:0${index}.000Z` };
  });
}

describe('a copy that is older than the record', () => {
  it('F34 asks for the status that its writer put into it, and changes nothing that is merely old', () => {
    const read = { summary: 'Before' };
    const decision = save('planning', { read, copy: { status: 'clarification' } });
    const { fields, events } = update(decision);
    expect(fields).toEqual({ status: 'clarification', crash_count: 0 });
    expect(events).toMatchObject([{ type: 'status.changed', to: 'clarification', by: 'agent' }]);
  });

  it('F34 asks also when its task has gone on from planning to working meanwhile', () => {
    const course = { read: { status: 'planning' }, copy: { status: 'clarification' } } as const;
    expect(update(save('working', course)).fields.status).toBe('clarification');
  });

  it('F34 has a summary of its own taken over, and what is not the writer’s put back', () => {
    const read = { summary: 'Before', crash_count: 1 };
    const change = update(save('working', { read, copy: { summary: 'Mine', review_round: 7 } }));
    expect(change.fields).toEqual({ summary: 'Mine' });
    expect(change.events).toEqual([
      { type: 'task.updated', fields: ['summary'], by: 'file' },
      {
        type: 'frontmatter.rejected',
        field: 'review_round',
        value: 7,
        reason: 'not the writer’s field',
      },
    ]);
  });

  it('F34 that only is old is put right without a word', () => {
    const read = { summary: 'Before', crash_count: 1 } as const;
    const decision = save('working', { read, copy: {} });
    expect(update(decision)).toMatchObject({ fields: {}, events: [] });
    expect(decision.effects).toEqual([]);
  });

  it('F34 whose status is merely old asks for nothing, which is in the history and told to nobody', () => {
    const decision = save('working', { read: { status: 'planning' }, copy: {} });
    expect(update(decision).fields).toEqual({});
    expect(update(decision).events).toEqual([
      { type: 'frontmatter.rejected', field: 'status', value: 'planning', reason: 'stale copy' },
    ]);
    expect(decision.effects).toEqual([]);
  });

  it.each([
    ['has asked and was answered meanwhile', 'planning', 'clarification'],
    ['was sent back by a person', 'working', 'reviewing'],
    ['was stuck meanwhile', 'working', 'stuck'],
  ] as const)(
    'F34 asks for nothing in a task that %s, and its agent is told so',
    (_, status, between) => {
      const value = status === 'working' ? 'agent-review' : 'clarification';
      const course = { read: {}, since: [between], copy: { status: value } } as const;
      const decision = save(status, course, { artifacts: HANDOFF });
      expect(update(decision).fields).toEqual({});
      expect(update(decision).events).toMatchObject([
        { type: 'frontmatter.rejected', field: 'status', value, reason: 'stale copy' },
      ]);
      expect(decision.effects).toMatchObject([
        { kind: 'tell-agent', message: { kind: 'put-back', context: null } },
      ]);
    },
  );

  it.each(['PASS', 'FAIL'] as const)('F34 of an earlier round moves nothing by its %s', (word) => {
    const copy = { status: word === 'PASS' ? 'reviewing' : 'working' } as const;
    const parts = { artifacts: verdict(word), reviewStartedRound: 2, fields: { review_round: 2 } };
    const decision = save('agent-review', { read: { review_round: 1 }, copy }, parts);
    expect(update(decision).fields).toEqual({});
    expect(update(decision).sections).toMatchObject([{ kind: 'move-out', section: 'Review' }]);
  });

  it('F34 whose key is merely old has it put right without a word', () => {
    const task = buildTaskIn('working', {
      fields: { updated_at: NOW },
      extensions: { priority: 'high', tags: ['new'] },
    });
    const fields = { ...task.fields, updated_at: THEN };
    const read: OwnWrite = { fields, extensions: { tags: ['old'] }, status: 'working' };
    const claims = { fields, extensions: { tags: ['old'], mood: 'good' }, context: null };
    const now: TaskState = { ...task, claims, ownWrites: [read] };
    const change = update(resolveClaims(buildWorld({ tasks: [task] }), now, momentAt()));
    expect(change.extensions).toEqual({ priority: 'high', tags: ['new'], mood: 'good' });
    expect(change.events).toEqual([{ type: 'task.updated', fields: ['mood'], by: 'file' }]);
  });
});
