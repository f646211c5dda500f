import { expect, it } from 'vitest';
import { createRig } from './orange-rig.js';

type Task = {
  readonly id: string;
  readonly session: string;
  readonly attention?: { readonly kind: string; readonly since: string; readonly reason: string };
};

const POLICY = { stall_minutes: [0.02, 0.04, 0.06] };

const SIGNS_OF_LIFE =
  'for word in back to work and on with it until all of this is done; do echo "$word"; sleep 1; done';

/** A command for notices that writes down what it was told. */
const NOTE_IT = [
  '/bin/sh',
  '-c',
  'echo "$ORANGE_NOTICE_CAUSE $ORANGE_NOTICE_COUNT $ORANGE_TASK_ID $ORANGE_NOTICE_TITLE" >> "$HOME/said/notices"',
];

it('F63 an agent that hangs silently is called stalled, shown, left alive, and heard again', async () => {
  await using rig = await createRig({
    // What a new daemon sees at its first look is where it starts from, so signs of life go on.
    agents: { mute: { worker: `say "pid $$"; await_go on; ${SIGNS_OF_LIFE}; idle` } },
    policy: POLICY,
    settings: { notify: { desktop: false, bell: true, command: NOTE_IT } },
  });
  const list = async () => (await rig.must('task', 'list', '--json')).json<readonly Task[]>();
  const id = await rig.create('mute');
  const stalled = await rig.waitForEvent(id, ({ type }) => type === 'agent.stalled');
  const types = rig.history(id).map(({ type }) => type);
  // Nobody knows what its screen shows, so nothing was typed there.
  expect(types).not.toContain('progress.polled');
  const [task] = await list();
  expect(task).toMatchObject({ id, session: 'active', attention: { kind: 'stalled' } });
  expect((await rig.must('task', 'list')).stdout).toContain('no sign of life');
  expect(rig.field(id, 'status')).toBe('planning');
  const pid = rig.said()[0]?.split(' ')[1] ?? '';
  expect(() => process.kill(Number(pid), 0)).not.toThrow();

  await rig.until('notice', () => rig.said('notices').length > 0);
  await rig.must('daemon', 'restart');
  const [again] = await list();
  expect(again?.attention).toEqual(task?.attention);
  expect(rig.said('notices')).toEqual([`stalled 1 ${id} shop/mute`]);

  rig.go('on');
  const resumed = await rig.waitForEvent(id, ({ type }) => type === 'agent.resumed');
  expect(resumed).toMatchObject({ after: 'stalled', launch: stalled['launch'] });
  expect(rig.history(id).map(({ type }) => type)).not.toContain('agent.crashed');
});

it('F63 types into a prompt that rests, and never into one that it does not know', async () => {
  await using rig = await createRig({
    agents: {
      gemini: { worker: `echo ' > Type your message'; read -r line; say "told"; idle` },
      bot: {
        worker: `echo 'About to drop the table users. Press Enter to continue'; say up; read -r x; say DROPPED; idle`,
      },
    },
    policy: POLICY,
  });
  const known = await rig.create('known', '--harness', 'gemini');
  const unknown = await rig.create('unknown', '--harness', 'bot');
  await rig.waitForEvent(known, ({ type }) => type === 'progress.polled');
  await rig.until('the question', () => rig.said().includes('told'));
  await rig.waitForEvent(unknown, ({ type }) => type === 'agent.stalled');
  expect(rig.said().toSorted()).toEqual(['told', 'up']);
  expect(rig.history(unknown).map(({ type }) => type)).not.toContain('progress.polled');
  expect((await rig.must('inbox')).stdout).toContain('no sign of life');
});

it('F63 an agent that waits for somebody is told apart from one at work, and does not stall', async () => {
  await using rig = await createRig({
    agents: {
      asker: {
        worker: `orange task report --hook --waiting -m 'may I?'
await_go answer
orange task report --working -m 'thank you'
idle`,
      },
      mute: {},
    },
    policy: POLICY,
  });
  const id = await rig.create('asker', '--harness', 'asker');
  const other = await rig.create('mute', '--harness', 'mute');
  const waiting = await rig.waitForEvent(id, ({ state }) => state === 'waiting');
  expect(waiting).toMatchObject({ type: 'progress.reported', message: 'may I?', by: 'agent' });
  // By then it would have stalled too.
  await rig.waitForEvent(other, ({ type }) => type === 'agent.stalled');
  const tasks = (await rig.must('task', 'list', '--json')).json<readonly Task[]>();
  expect(tasks.find((task) => task.id === id)?.attention).toMatchObject({
    kind: 'waiting-for-human',
    reason: 'may I?',
  });
  expect((await rig.must('inbox')).stdout).toContain('may I?');
  expect(rig.history(id).map(({ type }) => type)).not.toContain('agent.stalled');
  rig.go('answer');
  await rig.waitForEvent(id, ({ type }) => type === 'agent.resumed');
});
