import { expect, it } from 'vitest';
import { createRig } from './orange-rig.js';

type Task = {
  readonly id: string;
  readonly session: string;
  readonly attention?: { readonly kind: string; readonly reason: string };
};

it('F63 an agent that hangs silently is asked, called stalled, shown, left alive, and heard again', async () => {
  await using rig = await createRig({
    agents: { mute: { worker: 'say "pid $$"; await_go on; echo back to work; idle' } },
    policy: { stall_minutes: [0.02, 0.04, 0.06] },
  });
  const id = await rig.create('mute');
  const stalled = await rig.waitForEvent(id, ({ type }) => type === 'agent.stalled');
  const types = rig.history(id).map(({ type }) => type);
  expect(types.filter((type) => type === 'progress.polled')).toHaveLength(1);
  const [task] = (await rig.must('task', 'list', '--json')).json<readonly Task[]>();
  expect(task).toMatchObject({ id, session: 'active', attention: { kind: 'stalled' } });
  expect((await rig.must('task', 'list')).stdout).toContain('no sign of life');
  expect(rig.field(id, 'status')).toBe('planning');
  const pid = rig.said()[0]?.split(' ')[1] ?? '';
  expect(() => process.kill(Number(pid), 0)).not.toThrow();

  rig.go('on');
  const resumed = await rig.waitForEvent(id, ({ type }) => type === 'agent.resumed');
  expect(resumed).toMatchObject({ after: 'stalled', launch: stalled['launch'] });
  expect(rig.history(id).map(({ type }) => type)).not.toContain('agent.crashed');
});
