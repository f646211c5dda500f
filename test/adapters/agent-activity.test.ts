import { expect, it } from 'vitest';
import { createTmuxRig } from '../rigs/tmux-rig.js';

const DEADLINE = { timeout: 20_000 };

it('one listing tells of every launch when its window last showed something', async () => {
  await using rig = createTmuxRig();
  const quiet = await rig.sh('while :; do sleep 1; done');
  const loud = await rig.sh('while :; do echo x; sleep 0.2; done', { window: 'review-1' });
  const first = await rig.sessions.lastOutput();
  const before = first.ok ? first.value : new Map<string, number>();
  expect([...before.keys()].toSorted()).toEqual([quiet.launchId, loud.launchId].toSorted());
  await expect
    .poll(async () => {
      const now = await rig.sessions.lastOutput();
      return now.ok ? (now.value.get(loud.launchId) ?? 0) : 0;
    }, DEADLINE)
    .toBeGreaterThan(before.get(loud.launchId) ?? 0);
});

it('nothing is told of where there is no server', async () => {
  await using rig = createTmuxRig();
  expect(await rig.sessions.lastOutput()).toEqual({ ok: true, value: new Map() });
});

it('an agent has company while a process of its own runs', async () => {
  await using rig = createTmuxRig();
  const alone = await rig.sh('read line');
  const busy = await rig.sh('sleep 1000; exit 1', { window: 'review-1' });
  await expect.poll(async () => rig.records.hasCompany(busy.launchId), DEADLINE).toBe(true);
  await expect.poll(async () => rig.records.hasCompany(alone.launchId), DEADLINE).toBe(false);
});
