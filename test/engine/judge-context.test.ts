import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/domain/decision.js';
import { keptWordsName } from '../../src/domain/kept-words.js';
import type { TaskFields } from '../../src/domain/task.js';
import type { Claims, TaskState } from '../../src/domain/world.js';
import { resolveClaims } from '../../src/engine/resolve-claims.js';
import { updateOf as update } from '../builders/decision-parts.js';
import { buildTask, buildTaskIn, endedAgent } from '../builders/task.js';
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

const REFUSED = keptWordsName('context-refused', momentAt().timestamp);

describe('a Context that was edited in the file', () => {
  it('ORA-40 is restored while an agent is around', () => {
    const task = buildTaskIn('working', { context: 'Blue, please.' });
    const change = update(resolve(task, { context: 'Red is fine.' }));
    expect(change.sections).toEqual([
      { kind: 'set', section: 'Context', text: 'Blue, please.', transcript: REFUSED },
    ]);
    expect(change.events).toMatchObject([{ type: 'context.restored' }, { type: 'edit.kept' }]);
    expect(change.runtime.context).toBe('Blue, please.');
  });

  it.each([
    ['beside the user’s words', 'Blue.', 'Blue.\n\nNot too dark.'],
    ['where there were none', null, 'Blue.'],
  ])('F34 is kept as a transcript that waits for a person, %s', (_, context, claimed) => {
    const change = update(resolve(buildTaskIn('working', { context }), { context: claimed }));
    expect(change.events).toMatchObject([
      { type: 'context.restored', transcript: REFUSED },
      { type: 'edit.kept', transcript: REFUSED, sections: ['Context'] },
    ]);
    expect(change.runtime.keptEdit).toBe(REFUSED);
  });

  it('F34 is told to the living agent, with what sections start with where it wrote a heading', () => {
    const task = buildTaskIn('working', { context: 'Blue.' });
    const { effects } = resolve(task, { context: 'Blue.\n### Plan\nAPPROACH: x\n# Notes' });
    const context = { transcript: REFUSED, headings: ['### Plan'] };
    expect(effects).toEqual([
      {
        kind: 'tell-agent',
        taskId: task.fields.id,
        session: 'shop/dark-mode',
        window: 'worker',
        message: { kind: 'put-back', context, status: null },
      },
    ]);
    const reviewed = resolve(buildTaskIn('agent-review', { context: 'Blue.' }), {
      context: 'Red.',
    });
    expect(reviewed.effects).toMatchObject([{ kind: 'tell-agent', window: 'review-1' }]);
  });

  it('F34 is kept and told once for the same text, and again for another one', () => {
    const task = buildTaskIn('working', { context: 'Blue.' });
    const first = update(resolve(task, { context: 'Blue.\nRed.' }));
    const told: TaskState = { ...task, ...first.runtime };
    const again = resolve(told, { context: 'Blue.\nRed.' });
    expect(again.effects).toEqual([]);
    expect(update(again).sections).toEqual([{ kind: 'set', section: 'Context', text: 'Blue.' }]);
    expect(update(again).events).toEqual([
      expect.objectContaining({ type: 'context.restored', transcript: REFUSED }),
    ]);
    const other = resolve(told, { context: 'Blue.\nGreen.' });
    expect(other.effects).toHaveLength(1);
    expect(update(other).events).toMatchObject([
      { type: 'context.restored' },
      { type: 'edit.kept' },
    ]);
  });

  it('F34 from which words were only taken out leaves nothing to be kept', () => {
    const task = buildTaskIn('working', { context: 'Blue.\n\nNot dark.' });
    const decision = resolve(task, { context: 'Blue.' });
    expect(update(decision).events).toMatchObject([{ type: 'context.restored' }]);
    expect(update(decision).runtime.keptEdit).toBeUndefined();
    const context = { transcript: null, headings: [] };
    expect(decision.effects).toMatchObject([{ message: { kind: 'put-back', context } }]);
  });

  it('F34 goes back beside a move that is granted, and is told after it', () => {
    const fields = { status: 'clarification' } as const;
    const { effects } = resolve(buildTaskIn('working'), { fields, context: 'Mine.' });
    expect(effects.map(({ kind }) => kind)).toEqual(['notify-human', 'tell-agent']);
  });

  it('is told to nobody where no agent lives', () => {
    const task = buildTaskIn('working', { context: 'Blue.', worker: endedAgent('worker') });
    expect(resolve(task, { context: 'Red.' }).effects).toEqual([]);
  });

  it('ORA-40 is taken out and kept aside where there was none', () => {
    const change = update(resolve(buildTaskIn('working'), { context: 'My own rules.' }));
    expect(change.sections).toEqual([
      {
        kind: 'move-out',
        section: 'Context',
        transcript: keptWordsName('context-refused', momentAt().timestamp),
      },
    ]);
    expect(change.runtime.context).toBeNull();
  });

  it('is the user’s while no agent is around', () => {
    const change = update(resolve(buildTask({ context: 'Blue.' }), { context: 'Red.' }));
    expect(change.sections).toEqual([]);
    expect(change.runtime.context).toBe('Red.');
  });
});
