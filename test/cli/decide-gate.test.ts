import { describe, expect, it } from 'vitest';
import { snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig, type CliWorld } from './cli-rig.js';

const TASK = taskView();
const snapshot = snapshotOf([TASK]);
const INSIDE = { env: { ORANGE_TASK_ID: TASK.fields.id } };

async function send(words: readonly string[], world: CliWorld = {}) {
  const rig = cliRig({ snapshot, ...world });
  const ran = await rig.run(...words);
  return { ran, request: rig.client.requests[0]?.request };
}

describe('orange approve and reject', () => {
  const APPROVED = { kind: 'task.approve', taskId: TASK.fields.id, gate: null, text: '' };
  it.each<readonly [readonly string[], CliWorld, object]>([
    [['approve', 'shop/dark-mode'], {}, APPROVED],
    [['approve'], INSIDE, APPROVED],
    [['approve', 'abc0', '--gate', 'plan', '-m', 'ok'], {}, { gate: 'plan', text: 'ok' }],
    [['reject', 'abc0', '-m', 'no'], {}, { kind: 'task.reject', gate: null, text: 'no' }],
    [['reject', 'abc0', '-m', '-'], { stdin: 'Too\nbig\n' }, { text: 'Too\nbig' }],
  ])('%j', async (words, world, expected) => {
    const { ran, request } = await send(words, world);
    expect(ran.exitCode).toBe(0);
    expect(request).toMatchObject(expected);
  });

  it.each([
    ['reject', 'abc0'],
    ['reject', 'abc0', '-m', ' '],
    ['approve', 'abc0', '--gate', 'x'],
  ])('wrong usage: %s %s %s', async (...words) => {
    const { ran, request } = await send(words);
    expect(ran.exitCode).toBe(2);
    expect(request).toBeUndefined();
  });

  it('teaches when there is nothing to decide', async () => {
    const { ran } = await send(['approve', 'abc0', '--json'], {
      answer: () => ({
        kind: 'no-gate-waiting',
        action: 'approve',
        wanted: null,
        waiting: null,
        status: 'working',
      }),
    });
    expect(ran.exitCode).toBe(1);
    expect(ran.json()).toMatchObject({
      error: { code: 'no-gate-waiting', hint: 'See what waits for you with: orange inbox --all' },
    });
  });
});
