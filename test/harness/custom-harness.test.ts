import { describe, expect, it } from 'vitest';
import type { HarnessSettings } from '../../src/domain/settings.js';
import { claude } from '../../src/harness/claude.js';
import { customHarness, harnessWithoutCommand } from '../../src/harness/custom-harness.js';
import type { AgentAssignment } from '../../src/harness/agent-assignment.js';
import { PROMPT_ARGUMENT_BYTES } from '../../src/harness/prompt-argument.js';
import { assignment } from './assignment.js';

function argvOf(settings: HarnessSettings, changes: Partial<AgentAssignment> = {}): unknown {
  const result = customHarness(settings, harnessWithoutCommand('mybot')).command(
    assignment(changes),
  );
  return result.ok ? result.value : result.failure;
}

describe('a harness from settings', () => {
  it('fills every placeholder, also inside a longer argument', () => {
    const command = [
      'mybot',
      '--task={task_id}',
      '{task_file}',
      '{prompt_file}',
      '{branch}:{role}',
      '{effort}',
      '{model}',
      '{harness_session}',
      '{prompt}',
    ];
    expect(argvOf({ command }, { effort: 'low', model: 'm', harnessSession: 's1' })).toEqual([
      'mybot',
      '--task=T1',
      '/home/u/orange/tasks/p/T1/TASK.md',
      '/home/u/orange/run/T1/prompt.md',
      'fix/login:worker',
      'low',
      'm',
      's1',
      'Do it.',
    ]);
  });

  it.each(['two words', 'a;', "it's", '"quoted"', '$(id)', '-x', 'a\nb', '{prompt}', '$&', '$1'])(
    'hands the value %j over as it is',
    (value) => {
      expect(argvOf({ command: ['mybot', '{model}', '--m={model}'] }, { model: value })).toEqual([
        'mybot',
        value,
        `--m=${value}`,
      ]);
    },
  );

  it('does not expand placeholders that a value contains', () => {
    expect(argvOf({ command: ['mybot', '{prompt}'] }, { prompt: 'see {task_id}' })).toEqual([
      'mybot',
      'see {task_id}',
    ]);
  });

  it('leaves out an argument that is only an empty value, and nothing beside it', () => {
    const command = ['mybot', '-v', '{model}', '--effort={effort}', 'e:{effort}', 'end'];
    expect(argvOf({ command })).toEqual(['mybot', '-v', 'e:', 'end']);
  });

  it('leaves braces alone that are no placeholder', () => {
    expect(argvOf({ command: ['mybot', '{"a":1}', '{}', '{A}'] })).toEqual([
      'mybot',
      '{"a":1}',
      '{}',
      '{A}',
    ]);
  });

  it('refuses an unknown placeholder and names it', () => {
    expect(argvOf({ command: ['mybot', '--x={promt}'] })).toMatchObject({
      kind: 'invalid-argument',
      argument: 'harnesses.mybot.command',
      value: '{promt}',
      rule: 'unknown placeholder',
    });
  });

  it.each([{}, { command: [] }, { command: [''] }])(
    'refuses %j, which names no program',
    (given) => {
      expect(argvOf(given)).toMatchObject({
        kind: 'invalid-argument',
        argument: 'harnesses.mybot.command',
      });
    },
  );

  it('hands a prompt of 100 KiB over itself and points to the file beyond that', () => {
    const fits = 'é'.repeat(PROMPT_ARGUMENT_BYTES / 2);
    expect(argvOf({ command: ['mybot', '{prompt}'] }, { prompt: fits })).toEqual(['mybot', fits]);
    const pointer = argvOf({ command: ['mybot', '{prompt}'] }, { prompt: `${fits}x` });
    expect(JSON.stringify(pointer)).toContain('/home/u/orange/run/T1/prompt.md');
    expect(JSON.stringify(pointer).length).toBeLessThan(500);
  });

  it('starts reviewers with review, else with command', () => {
    const settings = { command: ['mybot', 'work'], review: ['mybot', 'review'] };
    expect(argvOf(settings, { role: 'reviewer' })).toEqual(['mybot', 'review']);
    expect(argvOf({ command: ['mybot', 'work'] }, { role: 'reviewer' })).toEqual(['mybot', 'work']);
  });

  it('resumes only a worker whose conversation is known', () => {
    const settings = {
      command: ['mybot', 'new'],
      resume: ['mybot', '--continue', '{harness_session}'],
    };
    const known = { isResuming: true, harnessSession: 's1' };
    expect(argvOf(settings, known)).toEqual(['mybot', '--continue', 's1']);
    expect(argvOf(settings, { ...known, harnessSession: null })).toEqual(['mybot', 'new']);
    expect(argvOf(settings, { ...known, isResuming: false })).toEqual(['mybot', 'new']);
    expect(argvOf(settings, { ...known, role: 'reviewer' })).toEqual(['mybot', 'new']);
    expect(argvOf({ command: ['mybot', 'new'] }, known)).toEqual(['mybot', 'new']);
  });

  it('can be given its conversation id when its command mentions it', () => {
    const bare = harnessWithoutCommand('mybot');
    expect(customHarness({ command: ['mybot', '{prompt}'] }, bare).takesSessionId).toBe(false);
    const command = ['mybot', '--id={harness_session}'];
    expect(customHarness({ command }, bare).takesSessionId).toBe(true);
  });
});

describe('a built-in harness changed by settings', () => {
  const resuming = assignment({ isResuming: true, harnessSession: 's1' });

  it('keeps its command lines when only env is given', () => {
    const changed = customHarness({ env: { A: '1' } }, claude);
    expect(changed.command(resuming)).toEqual(claude.command(resuming));
    expect(changed).toMatchObject({ program: 'claude', takesSessionId: true, canResume: true });
    expect(changed.env).toEqual({ ...claude.env, A: '1' });
  });

  it('keeps its resume when only command is given, for both roles otherwise', () => {
    const changed = customHarness({ command: ['/opt/claude', '{prompt}'] }, claude);
    const given = { ok: true, value: ['/opt/claude', 'Do it.'] };
    expect(changed.program).toBe('/opt/claude');
    expect(changed.takesSessionId).toBe(false);
    expect(changed.command(assignment())).toEqual(given);
    expect(changed.command(assignment({ role: 'reviewer' }))).toEqual(given);
    expect(changed.command(resuming)).toEqual(claude.command(resuming));
  });

  it('keeps its command when only review is given', () => {
    const changed = customHarness({ review: ['claude', '-r'] }, claude);
    expect(changed.command(assignment())).toEqual(claude.command(assignment()));
    expect(changed.command(assignment({ role: 'reviewer' }))).toEqual({
      ok: true,
      value: ['claude', '-r'],
    });
  });
});
