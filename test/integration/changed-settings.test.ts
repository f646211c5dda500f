import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig } from './orange-rig.js';

describe('a setting that changes while tasks wait for it', () => {
  it('lets a Plan pass whose gate is taken away, and its worker is told', async () => {
    await using rig = await createRig({
      policy: { gates: { plan: 'human' } },
      agents: {
        plain: {
          worker: `add Plan 'TOUCHING: src/'; while read -r line; do say "$line"; done`,
        },
      },
    });
    const task = await rig.create('gated', '--harness', 'plain');
    await rig.waitForEvent(task, ({ type }) => type === 'gate.waiting');
    const file = join(rig.home, 'config.yaml');
    const settings: { readonly policy: object } = JSON.parse(rig.read(file));
    const policy = { ...settings.policy, gates: { plan: 'skip' } };
    rig.write(file, JSON.stringify({ ...settings, policy }));
    await rig.waitForStatus(task, 'working');
    await rig.until('what the worker hears', () => rig.said().length > 0);
    expect((await rig.must('inbox', '--json')).json()).toEqual([]);
  });
});
