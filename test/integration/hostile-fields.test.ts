import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { loadScript } from '../scripts/load-script.js';

type Found = {
  readonly problems: readonly object[];
  readonly executions: number;
  readonly count: number;
};
const { fuzzHostile } = await loadScript<{
  fuzzHostile: (order: { numbers: readonly number[]; parts: object }) => Promise<Found>;
}>('../fuzz/hostile/run');
const parts = await loadScript<object>('../fuzz/hostile/parts');

// Between them each kind of text stands in each kind of field; `npm run fuzz` takes all of the cases.
const CASES = [11, 78, 91, 143];

it('G5 F67 hostile texts in every field of a task are literal or clean at every place, and none is run', async () => {
  const { problems, executions, count } = await fuzzHostile({ numbers: CASES, parts });
  expect(problems).toEqual([]);
  expect({ executions, count }).toEqual({ executions: 0, count: CASES.length });
});

/** A notifier that hands its words to a shell. */
const createLeak = () => ({
  notify: async ({ text }: { readonly text: string }): Promise<void> => {
    spawnSync('/bin/sh', ['-c', `: ${text}`]);
  },
});

it('G5 a part that runs a text is found by what that leaves', async () => {
  const leaky = { ...parts, createNotifier: createLeak };
  const { problems, executions } = await fuzzHostile({ numbers: [1], parts: leaky });
  expect(executions).toBe(1);
  const complaint = { sink: 'execution', problem: 'text 1 (summary of case 1) was run' };
  expect(problems).toContainEqual(complaint);
});
