import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import { beginsWork, gateMode, hasFreshHandoff } from '../../src/engine/gates.js';
import { eachPair } from '../builders/legal-moves.js';
import { buildTask, HANDOFF } from '../builders/task.js';
import { buildSettings } from '../builders/world.js';

describe('gateMode', () => {
  const settings = buildSettings({
    policy: { weightOverrides: { large: { plan: 'human', review: 'human' } } },
  });

  it('ORC-6 takes the policy where nothing else is said', () => {
    expect(gateMode(buildTask(), settings, 'plan')).toBe('auto');
    expect(gateMode(buildTask(), settings, 'review')).toBe('ai');
    expect(gateMode(buildTask(), settings, 'merge')).toBe('human');
    expect(gateMode(buildTask(), settings, 'start')).toBe('auto');
  });

  it('ORC-7 takes the override of the weight before the policy', () => {
    const task = buildTask({ extensions: { weight: 'large' } });
    expect(gateMode(task, settings, 'plan')).toBe('human');
    expect(gateMode(task, settings, 'merge')).toBe('human');
  });

  it('takes the word of the task before everything', () => {
    const extensions = { weight: 'large', gates: { plan: 'skip' } };
    expect(gateMode(buildTask({ extensions }), settings, 'plan')).toBe('skip');
    expect(gateMode(buildTask({ extensions }), settings, 'review')).toBe('human');
  });

  it.each([['loud'], [''], [null], [['auto']]])('passes over the word %o', (plan) => {
    const task = buildTask({ extensions: { gates: { plan } } });
    expect(gateMode(task, DEFAULT_SETTINGS, 'plan')).toBe('auto');
  });

  it.each([['auto'], [null], [['auto']]])('passes over gates that are %o and no map', (gates) => {
    expect(gateMode(buildTask({ extensions: { gates } }), DEFAULT_SETTINGS, 'review')).toBe('ai');
  });
});

describe('beginsWork', () => {
  it('begins with a move into work from outside of it, and with no other', () => {
    const beginning = eachPair().filter(({ from, to }) => beginsWork(from, to));
    const outside = ['pending', 'agent-review', 'reviewing', 'stuck', 'done', 'cancelled'];
    expect(beginning.map(({ from, to }) => `${from}>${to}`)).toEqual(
      outside.flatMap((from) => [`${from}>planning`, `${from}>working`]),
    );
  });
});

describe('hasFreshHandoff', () => {
  it.each([
    ['there was none before', null, HANDOFF, true],
    ['it says something new', 'handoff-0', HANDOFF, true],
    ['it says the same as before', 'handoff-1', HANDOFF, false],
    ['it is new but not valid', null, { handoffDigest: 'empty' }, false],
    ['there is none', null, {}, false],
  ] as const)('when %s', (_, handoffStamp, artifacts, expected) => {
    expect(hasFreshHandoff(buildTask({ handoffStamp, artifacts }))).toBe(expected);
  });
});
