import { describe, expect, it } from 'vitest';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';
import { outcome } from '../fakes/fake-client.js';
import { cliRig, type CliWorld } from './cli-rig.js';

const TASK = taskView();
const WAITING = taskView({ fields: { id: 'wait1', branch: 'asks', status: 'clarification' } });
const snapshot = snapshotOf([TASK, WAITING], [projectView()]);
const INSIDE = { env: { ORANGE_TASK_ID: TASK.fields.id, ORANGE_ROLE: 'worker' } };

async function send(words: readonly string[], world: CliWorld = {}) {
  const rig = cliRig({ snapshot, ...world });
  const ran = await rig.run(...words);
  return { ran, request: rig.client.requests[0]?.request };
}

describe('task ask', () => {
  const ASKED = { kind: 'task.ask', taskId: TASK.fields.id };
  it.each<readonly [string, readonly string[], CliWorld, string]>([
    ['by an agent', ['Which', 'colour?'], INSIDE, 'Which colour?'],
    ['in one word', ['Colour?'], INSIDE, 'Colour?'],
    ['about the own task by name', ['shop/dark-mode', 'Red?'], INSIDE, 'Red?'],
    ['with a word like an id in it', ['abc0', 'is', 'what?'], INSIDE, 'abc0 is what?'],
    ['by a person', ['shop/dark-mode', 'Is it red?'], {}, 'Is it red?'],
    ['by a person, with a prefix', ['abc0', 'Red?'], {}, 'Red?'],
    ['from standard input', ['-'], { ...INSIDE, stdin: 'Red?\nOr blue?\n' }, 'Red?\nOr blue?'],
    ['that begins like an option', ['--', '--red?'], INSIDE, '--red?'],
  ])('takes a question %s', async (_, words, world, text) => {
    const { ran, request } = await send(['task', 'ask', ...words], world);
    expect(request).toEqual({ ...ASKED, text });
    expect(ran).toMatchObject({ exitCode: 0 });
  });

  it.each<readonly [string, readonly string[], CliWorld, RegExp]>([
    ['nothing but a task', ['shop/dark-mode'], {}, /question: it is empty/],
    ['an empty question', [' '], INSIDE, /question: it is empty/],
    ['no task', ['Red?'], {}, /task: none is named/],
  ])('teaches when there is %s', async (_, words, world, text) => {
    const { ran, request } = await send(['task', 'ask', ...words], world);
    expect(request).toBeUndefined();
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toMatch(text);
  });

  it('is not for the task of another agent', async () => {
    const { ran, request } = await send(['task', 'ask', 'shop/asks', 'Red?'], INSIDE);
    expect(request).toBeUndefined();
    expect(ran).toMatchObject({ exitCode: 1 });
  });
});

describe('task answer', () => {
  it.each<readonly [readonly string[], number | null, string]>([
    [['Blue.'], null, 'Blue.'],
    [['Dark', 'blue.'], null, 'Dark blue.'],
    [['-q', '2', 'Blue.'], 2, 'Blue.'],
    [['-'], null, 'From\nbelow'],
  ])('%j', async (words, question, text) => {
    const sent = await send(['task', 'answer', 'shop/asks', ...words], { stdin: 'From\nbelow\n' });
    expect(sent.request).toEqual({ kind: 'task.answer', taskId: 'wait1', question, text });
  });

  it('says which questions it answered, and plainly that it counts for all of them', async () => {
    const questions = [
      { number: 1, text: 'Which colour?' },
      { number: 2, text: `How\nbig? ${'so '.repeat(60)}` },
    ];
    const asks = taskView({ ...WAITING, questions });
    const goesOn = taskView({ fields: { id: 'wait1', branch: 'asks', status: 'planning' } });
    const world = { snapshot: snapshotOf([asks]), answer: () => outcome({ task: goesOn }) };
    const { stdout } = (await send(['task', 'answer', 'shop/asks', 'Both.'], world)).ran;
    expect(stdout.split('\n')).toEqual([
      'Answered; shop/asks (wait1) is planning again.',
      '  1. Which colour?',
      expect.stringMatching(/^ {2}2\. How big\? so .*…$/),
      'The answer counts for all of them; with --question N it counts for one.',
      '',
    ]);
    const { ran } = await send(['task', 'answer', 'shop/asks', 'Both.', '--json'], world);
    expect(ran.json()).toMatchObject({ status: 'planning', answered: questions });
    const one = await send(['task', 'answer', 'shop/asks', '-q', '1', 'Red.'], world);
    expect(one.ran.stdout).toContain('again.\n  1. Which colour?\n');
    expect(one.ran.stdout).not.toContain('counts for all');
  });

  it('without a text or with a wrong number is wrong usage', async () => {
    expect((await send(['task', 'answer', 'shop/asks'])).ran.exitCode).toBe(2);
    expect((await send(['task', 'answer', 'shop/asks', ' '])).ran.exitCode).toBe(2);
    expect((await send(['task', 'answer', 'shop/asks', '-q', '0', 'x'])).ran.exitCode).toBe(2);
    expect((await send(['task', 'answer', 'nobody', 'x'])).ran.exitCode).toBe(3);
  });

  it('teaches what to do when the task asks nothing', async () => {
    const { ran } = await send(['task', 'answer', 'shop/dark-mode', 'Blue.', '--json'], {
      answer: () => ({
        kind: 'wrong-status',
        action: 'answer',
        status: 'working',
        allowed: ['clarification'],
      }),
    });
    expect(ran.exitCode).toBe(1);
    expect(ran.json()).toMatchObject({
      error: {
        code: 'wrong-status',
        hint: 'It waits for no answer. To say something to its agent: orange task send shop/dark-mode TEXT',
      },
    });
  });
});
