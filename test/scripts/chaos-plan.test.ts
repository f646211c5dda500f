import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Values = {
  readonly seed: string;
  readonly rounds?: number;
  readonly fault?: string;
  readonly 'each-once'?: boolean;
  readonly replay?: string;
};
type Plan = readonly { readonly number: number; readonly rounds: readonly { name: string }[] }[];
type Faults = { readonly allFaults: () => readonly { readonly name: string }[] };
type Script = {
  readonly choosePlan: (values: Values) => { readonly seed: string; readonly plan: Plan };
  readonly replayOptions: (roundSeed: string, values: object) => string;
};

const script = () => loadScript<Script>('../chaos/choose-plan');
const namesOf = (rounds: readonly { name: string }[]) => rounds.map(({ name }) => name);

describe('the plan of a run', () => {
  it('has each fault once, in random order, unless it is told how many', async () => {
    const { choosePlan } = await script();
    const { allFaults } = await loadScript<Faults>('../chaos/faults/list');
    const all = namesOf(allFaults());
    const planned = (values: Values) =>
      choosePlan(values).plan.flatMap(({ rounds }) => namesOf(rounds));
    expect(planned({ seed: '1' })).not.toEqual(all);
    expect(planned({ seed: '1' }).toSorted()).toEqual(all.toSorted());
    expect(planned({ seed: '1', rounds: 7 })).toEqual(planned({ seed: '1' }).slice(0, 7));
    const some = planned({ seed: '1', fault: 'kill at lock' });
    expect(some.toSorted()).toEqual(all.filter((name) => name.includes('kill at lock')).toSorted());
    expect(planned({ seed: '1', 'each-once': true })).toEqual(all);
  });
});

describe('the replay of a round', () => {
  it.each([
    ['of all faults', { seed: '7', rounds: 45 }],
    ['of some faults', { seed: '7', rounds: 45, fault: 'tmux,disk full' }],
    ['of each fault once', { seed: '7', rounds: 200, 'each-once': true }],
    ['of some faults once', { seed: 'x.1', rounds: 1, fault: 'kill at', 'each-once': true }],
  ])('in a run %s has the same faults up to it', async (_what, values) => {
    const { choosePlan } = await script();
    const { plan } = choosePlan(values);
    const course = plan[2];
    expect(course?.rounds.length).toBeGreaterThan(3);
    const again = choosePlan({ ...values, rounds: 200, seed: '1', replay: `${values.seed}.2.3` });
    expect(again.seed).toBe(values.seed);
    expect(again.plan.map(({ number }) => number)).toEqual([2]);
    expect(namesOf(again.plan[0]?.rounds ?? [])).toEqual(namesOf(course?.rounds.slice(0, 4) ?? []));
  });

  it('is asked for with all that the plan depends on, quoted for a shell', async () => {
    const { replayOptions } = await script();
    expect(replayOptions('1.2.3', { seed: '1' })).toBe('--replay 1.2.3');
    expect(replayOptions('1.2.3', { fault: 'tmux,disk full', 'each-once': true })).toBe(
      "--replay 1.2.3 --fault 'tmux,disk full' --each-once",
    );
    expect(replayOptions('1.2.3', { fault: "it's" })).toBe(
      String.raw`--replay 1.2.3 --fault 'it'\''s'`,
    );
  });

  it('of a seed that is none, or of faults that do not exist, is refused', async () => {
    const { choosePlan } = await script();
    expect(() => choosePlan({ seed: '1', rounds: 9, replay: '7' })).toThrow('Not the seed');
    expect(() => choosePlan({ seed: '1', rounds: 9, fault: 'nothing' })).toThrow('No fault');
    expect(() => choosePlan({ seed: '1', rounds: 9, 'each-once': true, replay: '1.99.0' })).toThrow(
      'has no round',
    );
  });
});
