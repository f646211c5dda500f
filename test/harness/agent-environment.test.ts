import { describe, expect, it } from 'vitest';
import {
  agentEnvironment,
  commandEnvironment,
  type AgentFacts,
} from '../../src/harness/agent-environment.js';

const orange: AgentFacts = {
  home: '/h',
  taskId: 'T1',
  taskFile: '/h/tasks/p/T1/TASK.md',
  project: 'p',
  branch: 'b',
  workspace: 'p--2',
  slot: 2,
  role: 'reviewer',
  reviewRound: 1,
  launchId: 'L1',
  shimDirectory: '/h/run/bin',
};

function environment(
  daemonEnv: Readonly<Record<string, string>>,
  harnessEnv: Readonly<Record<string, string | null>> = {},
): Record<string, string> {
  return agentEnvironment({ daemonEnv, harnessEnv, orange });
}

describe('the environment of an agent', () => {
  it('tells the agent about its task', () => {
    expect(environment({ PATH: '/usr/bin' })).toEqual({
      PATH: '/h/run/bin:/usr/bin',
      ORANGE_HOME: '/h',
      ORANGE_TASK_ID: 'T1',
      ORANGE_TASK_FILE: '/h/tasks/p/T1/TASK.md',
      ORANGE_PROJECT: 'p',
      ORANGE_BRANCH: 'b',
      ORANGE_WORKSPACE: 'p--2',
      ORANGE_SLOT: '2',
      ORANGE_ROLE: 'reviewer',
      ORANGE_REVIEW_ROUND: '1',
      ORANGE_LAUNCH_ID: 'L1',
    });
  });

  it('keeps what is the user’s', () => {
    const own = {
      HOME: '/home/u',
      LANG: 'C.UTF-8',
      NODE_ENV: 'production',
      NPM_TOKEN: 't',
      COLORTERM: 'truecolor',
      ANTHROPIC_API_KEY: 'k',
      EMPTY: '',
      ORANGE_DEMO_STEP_MS: '5',
    };
    expect(environment(own)).toMatchObject(own);
  });

  it.each([
    'TMUX',
    'TMUX_PANE',
    'TMUX_TMPDIR',
    'TERM',
    'COLUMNS',
    'LINES',
    'PWD',
    'npm_config_registry',
    'npm_lifecycle_event',
    'INIT_CWD',
    'ORANGE_TMUX_SOCKET',
    'ORANGE_ANYTHING',
    'BASH_FUNC_f%%',
  ])('leaves out %s', (name) => {
    expect(environment({ [name]: 'x' })).not.toHaveProperty([name]);
  });

  it('is changed by the harness: set, replaced, unset', () => {
    const env = environment({ A: '1', B: '1' }, { A: null, B: '2', C: '3', TERM: 'dumb' });
    expect(env).toMatchObject({ B: '2', C: '3', TERM: 'dumb' });
    expect(env).not.toHaveProperty('A');
  });

  it('does not let the harness pass for another task', () => {
    expect(environment({}, { ORANGE_TASK_ID: 'T2', ORANGE_ROLE: null })).toMatchObject({
      ORANGE_TASK_ID: 'T1',
      ORANGE_ROLE: 'reviewer',
    });
  });

  it('puts orange first on whatever PATH there is', () => {
    expect(environment({ PATH: '/a' }, { PATH: '/b' })['PATH']).toBe('/h/run/bin:/b');
    expect(environment({ PATH: '/a' }, { PATH: null })['PATH']).toMatch(/^\/h\/run\/bin:.*\/bin$/);
    expect(environment({})['PATH']).toMatch(/^\/h\/run\/bin:.*\/bin$/);
  });

  it('carries no value that a process cannot have', () => {
    expect(environment({}, { A: 'x\0y' })).not.toHaveProperty('A');
  });
});

it('a command of the settings has the environment of the daemon and the facts it is given', () => {
  const daemon = { PATH: '/a', TMUX: 'x', ORANGE_HOME: '/h', npm_config_x: '1', LANG: 'C' };
  expect(commandEnvironment(daemon, { ORANGE_BRANCH: 'b;c' })).toEqual({
    PATH: '/a',
    LANG: 'C',
    ORANGE_BRANCH: 'b;c',
  });
  expect(commandEnvironment({}, {})['PATH']).toMatch(/\/bin$/);
});
