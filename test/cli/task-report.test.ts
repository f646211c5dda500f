import { describe, expect, it } from 'vitest';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig, type CliWorld } from './cli-rig.js';

const TASK = taskView();
const OTHER = taskView({ fields: { id: 'other1', branch: 'other' } });
const snapshot = snapshotOf([TASK, OTHER], [projectView()]);
const INSIDE = {
  env: { ORANGE_TASK_ID: TASK.fields.id, ORANGE_ROLE: 'worker', ORANGE_LAUNCH_ID: 'L1' },
};

async function report(words: readonly string[], world: CliWorld = {}) {
  const rig = cliRig({ snapshot, ...world });
  const ran = await rig.run('task', 'report', ...words);
  return { ran, request: rig.client.requests[0]?.request };
}

const notice = (thread: string): string =>
  JSON.stringify({
    type: 'agent-turn-complete',
    'thread-id': thread,
    'input-messages': [`You are the worker on one task in the project shop: ${TASK.fields.id}`],
  });

const OF_TASK = { kind: 'task.report', taskId: TASK.fields.id };

describe('task report', () => {
  it.each([
    [['--working'], INSIDE, { state: 'working', text: null, launchId: 'L1' }],
    [['--waiting', '-m', 'may I?'], INSIDE, { state: 'waiting', text: 'may I?', launchId: 'L1' }],
    [['--done'], INSIDE, { state: 'done', text: null, launchId: 'L1' }],
    [['-m', '-'], { ...INSIDE, stdin: 'one\ntwo\n' }, { state: null, text: 'one\ntwo' }],
    [['--conversation', 'my_own-1'], INSIDE, { state: null, text: null, conversation: 'my_own-1' }],
    [['shop/dark-mode', '--done'], {}, { state: 'done', text: null, launchId: null }],
  ])('%j', async (words, world, said) => {
    const { ran, request } = await report(words, world);
    expect(request).toMatchObject({ ...OF_TASK, ...said });
    expect(ran.exitCode).toBe(0);
  });

  it.each([
    ['two states', ['--working', '--done'], /only one/],
    ['nothing', [], /says nothing/],
    ['a conversation that would be an option', ['--conversation=--yolo-now'], /8 to 128 letters/],
  ])('teaches when there is %s', async (_, words, text) => {
    const { ran, request } = await report(words, INSIDE);
    expect(request).toBeUndefined();
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(text);
  });

  it('is not for the task of another agent', async () => {
    const { ran, request } = await report(['shop/other', '--done'], INSIDE);
    expect(request).toBeUndefined();
    expect(ran.exitCode).toBe(1);
  });
});

describe('task report --hook', () => {
  it('takes the task from the environment and passes over what the agent adds', async () => {
    const json = '{"type":"agent-turn-complete"}';
    const { ran, request } = await report(['--hook', '--waiting', '-m', 'why', json], INSIDE);
    expect(request).toEqual({ ...OF_TASK, state: 'waiting', text: 'why', launchId: 'L1' });
    expect(ran).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it.each([
    ['the one it is given', ['--conversation=ses_123456'], '', 'ses_123456'],
    [
      'what a hook reads',
      ['--conversation', '-'],
      '{"session_id":"0b8f0a52-0f3e"}',
      '0b8f0a52-0f3e',
    ],
    ['the thread of a notice', [notice('0b8f0a52-0f3e')], '', '0b8f0a52-0f3e'],
    ['no option', ['--conversation=--yolo-now'], '', undefined],
    ['nothing out of a broken notice', [notice('0b8f0a52-0f3e').slice(0, -1)], '', undefined],
    ['nothing out of no input', ['--conversation', '-'], '', undefined],
  ])('tells as its conversation %s', async (_, words, stdin, conversation) => {
    const { ran, request } = await report(['--hook', '--working', ...words], { ...INSIDE, stdin });
    const said = conversation === undefined ? {} : { conversation };
    expect(request).toEqual({ ...OF_TASK, state: 'working', text: null, launchId: 'L1', ...said });
    expect(ran).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('is silent and succeeds when it is refused, or there is no task', async () => {
    const refused = await report(['--hook', '--working'], {
      ...INSIDE,
      answer: () => ({ kind: 'wrong-status', action: 'report on', status: 'done', allowed: [] }),
    });
    const outside = await report(['--hook', '--working']);
    expect(refused.ran).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(outside.ran).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(outside.request).toBeUndefined();
  });
});
