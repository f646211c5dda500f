import * as fc from 'fast-check';
import type { Actor } from '../../src/domain/request.js';
import type { Sections } from '../../src/domain/section.js';
import type { Role } from '../../src/domain/session.js';
import { STATUSES, type Status } from '../../src/domain/status.js';
import type { Extensions, TaskFields } from '../../src/domain/task.js';

export const ASKABLE = [
  'task.spawn',
  'task.respawn',
  'task.send',
  'task.review',
  'task.cancel',
  'task.delete',
  'task.reopen',
  'task.merge',
] as const;

/** One thing that happens; `nth` picks among whatever there is then. */
export type Step =
  | {
      readonly kind: 'create';
      readonly status: 'pending' | 'clarification' | 'agent-review' | 'reviewing';
      readonly extensions: Extensions;
      readonly nth: number;
      readonly isBlocked: boolean;
    }
  | {
      readonly kind: 'ask';
      readonly nth: number;
      readonly what: (typeof ASKABLE)[number];
      readonly actor: Actor;
      readonly verdict: 'PASS' | 'FAIL';
      readonly force: boolean;
    }
  | { readonly kind: 'move'; readonly nth: number; readonly to: Status; readonly actor: Actor }
  | { readonly kind: 'rename'; readonly nth: number; readonly branch: string }
  | { readonly kind: 'write'; readonly nth: number; readonly sections: Sections }
  | { readonly kind: 'edit'; readonly nth: number; readonly fields: Partial<TaskFields> }
  | { readonly kind: 'edit-extension'; readonly nth: number; readonly extensions: Extensions }
  | { readonly kind: 'save-old-copy'; readonly nth: number }
  | { readonly kind: 'look'; readonly nth: number }
  | { readonly kind: 'settle'; readonly nth: number }
  | { readonly kind: 'tear'; readonly nth: number }
  | { readonly kind: 'end'; readonly nth: number; readonly role: Role }
  | { readonly kind: 'answer'; readonly nth: number; readonly works: boolean }
  | { readonly kind: 'repeat-result'; readonly nth: number }
  | { readonly kind: 'reconsider'; readonly nth: number }
  | { readonly kind: 'wait'; readonly ms: number };

const nth = fc.nat({ max: 3 });
const actor: fc.Arbitrary<Actor> = fc.constantFrom('human', 'agent');
const one = <K extends Step['kind']>(kind: K) => fc.constant(kind);

const sections: fc.Arbitrary<Sections> = fc.constantFrom<Sections>(
  { Plan: 'APPROACH: the short way' },
  { Plan: 'RISKS: all of them' },
  { Handoff: 'DONE: a first part' },
  { Handoff: 'DONE: a second part' },
  { Handoff: 'nothing to say' },
  { Plan: 'TOUCHING: src/', Handoff: 'DONE: both at once' },
  { Review: 'Verdict: PASS' },
  { Review: 'Verdict: FAIL\n\nNot yet.' },
  { Review: 'Verdict: FAIL\n\nStill not.' },
  { Review: '**Verdict: PASS**' },
  { Context: 'something else' },
);

const fields: fc.Arbitrary<Partial<TaskFields>> = fc.oneof(
  fc.constantFrom(...STATUSES).map((status) => ({ status })),
  fc.constantFrom<Partial<TaskFields>>(
    { review_round: 9 },
    { crash_count: 9 },
    { summary: 'a better summary' },
    { workspace: 'shop--9' },
    { tmux_session: 'elsewhere' },
    { review_harness: 'missing' },
  ),
);

const extensions: fc.Arbitrary<Extensions> = fc.constantFrom<Extensions>(
  {},
  { priority: 'critical' },
  { hold: 'not spawned' },
  { gates: { review: 'skip' } },
  { gates: { plan: 'human' } },
  { gates: { merge: 'auto' } },
  { colour: 'blue' },
);

const create: fc.Arbitrary<Step> = fc.record({
  kind: one('create'),
  status: fc.constantFrom('pending', 'pending', 'clarification', 'agent-review', 'reviewing'),
  extensions,
  nth,
  isBlocked: fc.boolean(),
});

const asked: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: one('ask'),
    nth,
    what: fc.constantFrom(...ASKABLE),
    actor,
    verdict: fc.constantFrom('PASS', 'FAIL'),
    force: fc.boolean(),
  }),
  fc.record({ kind: one('move'), nth, to: fc.constantFrom(...STATUSES), actor }),
  fc.record({ kind: one('rename'), nth, branch: fc.constantFrom('one', 'two', 'three') }),
);

const seen: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: one('write'), nth, sections }),
  fc.record({ kind: one('edit'), nth, fields }),
  fc.record({ kind: one('edit-extension'), nth, extensions }),
  fc.record({ kind: one('save-old-copy'), nth }),
  fc.record({ kind: one('look'), nth }),
  fc.record({ kind: one('tear'), nth }),
  fc.record({ kind: one('reconsider'), nth }),
  fc.record({ kind: one('wait'), ms: fc.constantFrom(1, 500, 5000, 60_000) }),
);

/** Everything that can happen, the ordinary more often than the odd. */
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: create },
    { weight: 4, arbitrary: asked },
    { weight: 4, arbitrary: seen },
    { weight: 6, arbitrary: fc.record({ kind: one('settle'), nth }) },
    { weight: 3, arbitrary: fc.record({ kind: one('write'), nth, sections }) },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: one('answer'),
        nth,
        works: fc.nat({ max: 4 }).map((n) => n > 0),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: one('end'),
        nth,
        role: fc.constantFrom<Role>('worker', 'reviewer'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: one('repeat-result'), nth }) },
  ),
  { minLength: 10, maxLength: 120, size: 'max' },
);
