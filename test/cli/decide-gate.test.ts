import { describe, expect, it } from 'vitest';
import { outcome } from '../fakes/fake-client.js';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';
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
  const seen = TASK.fields.status;
  const APPROVED = { kind: 'task.approve', taskId: TASK.fields.id, gate: null, seen, text: '' };
  it.each<readonly [readonly string[], CliWorld, object]>([
    [['approve', 'shop/dark-mode'], {}, APPROVED],
    [['approve'], INSIDE, APPROVED],
    [['approve', 'abc0', '--gate', 'plan', '-m', 'ok'], {}, { gate: 'plan', text: 'ok' }],
    [['reject', 'abc0', '-m', 'no'], {}, { kind: 'task.reject', gate: null, seen, text: 'no' }],
    [['reject', '-m', 'no'], INSIDE, { kind: 'task.reject', taskId: TASK.fields.id, text: 'no' }],
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

  describe('of a merge', () => {
    const reviewing = taskView({ fields: { status: 'reviewing' }, actions: ['approve'] });
    const waiting = { snapshot: snapshotOf([reviewing]) };
    it.each<readonly [string, readonly string[], CliWorld, number]>([
      ['is not done without a word', [], {}, 1],
      ['is not done after a no', [], { says: 'n' }, 1],
      ['is done after a yes', [], { says: 'y' }, 0],
      ['is done with --yes', ['--yes'], {}, 0],
    ])('%s', async (_title, words, world, exitCode) => {
      const { ran, request } = await send(['approve', 'abc0', ...words], { ...waiting, ...world });
      expect(ran.exitCode).toBe(exitCode);
      expect(request?.kind).toBe(exitCode === 0 ? 'task.approve' : undefined);
    });

    it('asks where no daemon tells which gate waits, too', async () => {
      const recorded = snapshotOf([{ ...reviewing, actions: [] }]);
      const { ran, request } = await send(['approve', 'abc0'], { snapshot: recorded });
      expect(ran.exitCode).toBe(1);
      expect(request).toBeUndefined();
    });

    it('names where the work went', async () => {
      const done = taskView({ fields: { status: 'done' } });
      const { ran } = await send(['approve', 'abc0', '--yes'], {
        snapshot: snapshotOf([reviewing], [projectView()]),
        answer: () => outcome({ task: done }),
      });
      expect(ran.stdout).toBe('Approved: merged shop/dark-mode (abc00000) into main.\n');
    });
  });

  it('a task that moved on meanwhile is left alone, and the person told to look', async () => {
    const { ran } = await send(['approve', 'abc0', '--json'], {
      answer: () => ({
        kind: 'moved-on',
        action: 'approve',
        seen: 'planning',
        status: 'reviewing',
      }),
    });
    expect(ran.exitCode).toBe(1);
    expect(ran.json()).toMatchObject({
      error: { code: 'moved-on', hint: expect.stringContaining('task show shop/dark-mode') },
    });
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
