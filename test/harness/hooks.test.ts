import { describe, expect, it } from 'vitest';
import { CLAUDE_HOOKS } from '../../src/harness/claude-hooks.js';
import { assignment } from './assignment.js';
import { claude } from '../../src/harness/claude.js';
import { customHarness } from '../../src/harness/custom-harness.js';
import { HOOK_REPORTS } from '../../src/harness/hook-report.js';
import { opencode } from '../../src/harness/opencode.js';
import { PI_EXTENSION } from '../../src/harness/pi-hooks.js';
import { pi } from '../../src/harness/pi.js';

const RESUMED = { harnessSession: 'ses_main00000000', isResuming: true } as const;

/** A JavaScript file as the agent program would load it. */
async function load(text: string): Promise<Record<string, unknown>> {
  return import(`data:text/javascript,${encodeURIComponent(text)}`);
}

describe('the hooks of Claude Code', () => {
  it('say when it begins a turn, asks, and ends it', () => {
    const { hooks } = JSON.parse(CLAUDE_HOOKS);
    expect(Object.keys(hooks)).toEqual(['UserPromptSubmit', 'Notification', 'Stop']);
    expect(hooks.Notification[0]).toMatchObject({
      matcher: 'permission_prompt|elicitation_dialog',
      hooks: [
        {
          type: 'command',
          command:
            "orange task report --hook --waiting -m 'its agent asks for permission or an answer' --conversation -",
        },
      ],
    });
  });

  it('hold nothing that a shell would expand', () => {
    expect(JSON.stringify(HOOK_REPORTS)).not.toMatch(/[$`\\;&|<>']/);
  });
});

describe('the transcript of Claude Code', () => {
  const conversation = { cwd: '/home/u/orange/workspaces/shop--1', session: 'abc' };
  it.each([
    [{ HOME: '/home/u' }, '/home/u/.claude/projects/-home-u-orange-workspaces-shop--1/abc.jsonl'],
    [{ CLAUDE_CONFIG_DIR: '/c' }, '/c/projects/-home-u-orange-workspaces-shop--1/abc.jsonl'],
    [{}, null],
  ])('with %j lies at %s', (env, path) => {
    expect(claude.transcript?.({ ...conversation, env }) ?? null).toBe(path);
  });
});

describe('the plugin for opencode', () => {
  it('is a file that one variable points to, and a module that listens to events', async () => {
    const hooks = opencode.hooks?.('/home/u/my orange/run/hooks');
    const [name = '', text = ''] = Object.entries(hooks?.files ?? {})[0] ?? [];
    const url = `file:///home/u/my%20orange/run/hooks/${name}`;
    expect(JSON.parse(hooks?.env['OPENCODE_CONFIG_CONTENT'] ?? '')).toEqual({ plugin: [url] });
    expect(Object.keys(await load(text))).toEqual(['Orange']);
  });
});

describe('the facts for the plugin of opencode', () => {
  const known = { harnessSession: 'ses_main00000000' };
  const settings = { command: ['opencode', '{prompt}'] };

  it('name the session and the prompt of a worker that is resumed, and nothing else', () => {
    expect(opencode.hookFacts?.(assignment({ ...known, isResuming: true }))).toEqual({
      ORANGE_RESUMED_SESSION: 'ses_main00000000',
      ORANGE_RESUME_PROMPT: '/home/u/orange/run/T1/prompt.md',
    });
    for (const other of [
      {},
      known,
      { isResuming: true },
      { ...RESUMED, role: 'reviewer' },
    ] as const)
      expect(opencode.hookFacts?.(assignment(other))).toEqual({});
  });

  it('go with the built-in way of resuming', () => {
    expect(customHarness(settings, opencode).hookFacts).toBe(opencode.hookFacts);
    const resume = ['opencode', '--session', '{harness_session}'];
    expect(customHarness({ ...settings, resume }, opencode).hookFacts).toBeUndefined();
  });
});

describe('the extension for pi', () => {
  it('is a file, and a module that listens to the beginning and end of turns', async () => {
    expect(pi.hooks?.('/hooks').files).toEqual({ 'pi-orange.js': PI_EXTENSION });
    const heard: string[] = [];
    const { default: begin } = await load(PI_EXTENSION);
    if (typeof begin === 'function') begin({ on: (event: string) => heard.push(event) });
    expect(heard).toEqual(['agent_start', 'agent_end']);
  });
});
