import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import { applyProjectSettings, parseSettings } from '../../src/record/settings-file.js';

const FILE = 'config.yaml';

function problems(text: string) {
  const { settings, diagnostics } = parseSettings(text, FILE, DEFAULT_SETTINGS);
  return { settings, found: diagnostics.map(({ code, line, fix }) => ({ code, line, fix })) };
}

const EVERYTHING = `harnesses:
  mybot:
    command: [mybot, --task, "{task_file}", "{prompt}"]
    review: [mybot, --review, "{prompt}"]
    resume: [mybot, --continue, "{harness_session}", "{prompt}"]
    env: { SOME_FLAG: 1, GONE: null, ON: yes }
  claude:
    env: { X: "" }
harness_order: [codex, claude]
pool:
  fill: ahead
  setup: ["npm ci"]
  setup_files: [deno.lock]
  setup_timeout_minutes: 5
  copy: [".env"]
  keep_ignored: false
policy:
  gates: { start: human, plan: ai, review: skip, merge: auto, weight_overrides: { large: { plan: human } } }
  crash_limit: 3
  auto_respawn: false
  after_interruption: show
  respawn_backoff_seconds: [0, 0.5, 7]
  max_review_rounds: 4
  settle_ms: 10
  advance: { handoff: exit }
  stall_minutes: [1]
  reservations: { mode: block, ttl_minutes: 5 }
  checks: { handoff: ["npm test"], merge: ["npm run lint"], timeout_minutes: 5 }
merge: { strategy: rebase, push: true, delete_branch: false }
pr: { feedback: auto, poll_minutes: 2 }
queue: { max_active_tasks: 6, starvation_guard: true }
salvage: { keep_days: null }
notify: { desktop: false, bell: false, command: [say, hi] }
tmux: { socket: /tmp/x.sock }
sweep_seconds: 0.5
reconcile_seconds: 60
`;

describe('settings', () => {
  it('are read from every documented key', () => {
    const { settings, found } = problems(EVERYTHING);
    expect(found).toEqual([]);
    expect(settings).toEqual({
      harnesses: {
        mybot: {
          command: ['mybot', '--task', '{task_file}', '{prompt}'],
          review: ['mybot', '--review', '{prompt}'],
          resume: ['mybot', '--continue', '{harness_session}', '{prompt}'],
          env: { SOME_FLAG: '1', GONE: null, ON: 'yes' },
        },
        claude: { env: { X: '' } },
      },
      harnessOrder: ['codex', 'claude'],
      pool: {
        fill: 'ahead',
        setup: ['npm ci'],
        setupFiles: ['deno.lock'],
        setupTimeoutMinutes: 5,
        copy: ['.env'],
        keepIgnored: false,
      },
      policy: {
        gates: { start: 'human', plan: 'ai', review: 'skip', merge: 'auto' },
        weightOverrides: { large: { plan: 'human' } },
        crashLimit: 3,
        autoRespawn: false,
        afterInterruption: 'show',
        respawnBackoffSeconds: [0, 0.5, 7],
        maxReviewRounds: 4,
        settleMs: 10,
        advanceHandoff: 'exit',
        stallMinutes: [1],
        reservations: { mode: 'block', ttlMinutes: 5 },
        checks: { handoff: ['npm test'], merge: ['npm run lint'], timeoutMinutes: 5 },
      },
      merge: { strategy: 'rebase', push: true, deleteBranch: false },
      notify: { desktop: false, bell: false, command: ['say', 'hi'] },
      tmuxSocket: '/tmp/x.sock',
      sweepSeconds: 0.5,
      pr: { feedback: 'auto', pollMinutes: 2 },
      queue: { maxActiveTasks: 6, starvationGuard: true },
      salvage: { keepDays: null },
      reconcileSeconds: 60,
    });
  });

  it.each(['', '# only a comment\n', '---\n', 'pool:\n', 'harnesses: {}\n'])(
    '%j leaves the defaults',
    (text) => {
      expect(problems(text)).toEqual({ settings: DEFAULT_SETTINGS, found: [] });
    },
  );

  it('report what is wrong from the top of the file to its end', () => {
    const text =
      'tmux:\n  socket: []\nsweep_seconds: soon\npolicy:\n  crash_limit: many\nbogus: 1\n';
    const { diagnostics } = parseSettings(text, 'config.yaml', DEFAULT_SETTINGS);
    expect(diagnostics.map(({ line }) => line)).toEqual([2, 3, 5, 6]);
  });

  it('report an unknown key with its line and the nearest valid one', () => {
    const { settings, found } = problems(
      'merge:\n  strategy: ff\n  pusch: true\npolcy: {}\nzzzzzzz: 1\n',
    );
    expect(found).toMatchObject([
      { code: 'ORA081', line: 3, fix: 'did you mean push?' },
      { code: 'ORA081', line: 4, fix: 'did you mean policy?' },
      { code: 'ORA081', line: 5 },
    ]);
    expect(settings.merge.strategy).toBe('ff');
  });

  it.each([
    'sweep_seconds: soon',
    'sweep_seconds: "1"',
    'merge: { push: yes }',
    'merge: { strategy: octopus }',
    'merge: [squash]',
    'pool: { setup: npm ci }',
    'pool: { copy: [[a]] }',
    'policy: { crash_limit: 0 }',
    'queue: { max_active_tasks: 0 }',
    'salvage: { keep_days: 0 }',
    'pr: { feedback: always }',
    'policy: { crash_limit: 1.5 }',
    'policy: { respawn_backoff_seconds: [5, -1] }',
    'policy: { gates: { plan: maybe } }',
    'policy: { gates: { weight_overrides: { large: { plan: 1 } } } }',
    'policy: { advance: { handoff: never } }',
    'notify: { command: say hi }',
    'notify: { command: [] }',
    'tmux: { socket: [a] }',
    'harnesses: { mybot: { env: { A: b } } }',
    'harnesses: { mybot: { command: mybot } }',
    'harnesses: { mybot: { command: [mybot, "{promt}"] } }',
    'harnesses: { claude: { resume: [claude, "--continue={session}"] } }',
    'harnesses: { claude: { env: { "A-B": c } } }',
    '[1, 2]',
  ])('a wrong value keeps the old one: %s', (text) => {
    const { settings, found } = problems(text);
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ code, line }) => code === 'ORA082' && line === 1)).toBe(true);
    const { weightOverrides: _, ...policy } = settings.policy;
    const { weightOverrides: __, ...defaults } = DEFAULT_SETTINGS.policy;
    expect({ ...settings, policy, harnesses: {} }).toEqual({
      ...DEFAULT_SETTINGS,
      policy: defaults,
    });
  });

  it.each([
    ['a: &x b', 1],
    ['pool:\n  fill: [', 2],
    ['merge:\n  push: true\nmerge: {}', 3],
    [`a: ${'['.repeat(5000)}`, 1],
    [`a:\n ${'- '.repeat(8000)}`, 2],
    ['x'.repeat(100_000), 1],
    ['a: b\n---\nc: d\n', 2],
  ])('are refused as a whole when the YAML is unfit', (text, line) => {
    const { settings, found } = problems(text);
    expect(found).toMatchObject([{ code: 'ORA080', line }]);
    expect(settings).toBe(DEFAULT_SETTINGS);
  });

  it('name a placeholder that stands for nothing, with its line and the ones there are', () => {
    const { diagnostics, settings } = parseSettings(
      'harnesses:\n  mybot:\n    command: [mybot, "{prompt}"]\n    review: [mybot, "{promt}"]\n',
      FILE,
      DEFAULT_SETTINGS,
    );
    expect(diagnostics).toMatchObject([
      {
        code: 'ORA082',
        line: 4,
        message: 'harnesses.mybot.review has {promt}, which stands for nothing',
        fix: 'use {prompt} {prompt_file} {task_file} {task_id} {branch} {role} {effort} {model} {harness_session}',
      },
    ]);
    expect(settings.harnesses['mybot']).toEqual({ command: ['mybot', '{prompt}'] });
  });

  it.each(['[20, 10, 5]', '[10, 15, 5]', '[10, 0, 5]', '[5, 10, 15, 20]', '[-1]', 'soon'])(
    'refuse a ladder of silence that does not go up: %s',
    (ladder) => {
      const text = `policy: { stall_minutes: ${ladder} }`;
      const { settings, diagnostics } = parseSettings(text, FILE, DEFAULT_SETTINGS);
      expect(diagnostics).toMatchObject([{ code: 'ORA082', line: 1 }]);
      expect(`${diagnostics[0]?.message} ${diagnostics[0]?.fix}`).toContain('[10, 15, 20]');
      expect(settings.policy.stallMinutes).toEqual(DEFAULT_SETTINGS.policy.stallMinutes);
    },
  );

  it.each([[[]], [[1]], [[0.5, 0, 2]], [[5, 5, 10]], [[0, 0, 20]]])(
    'take a ladder of silence with steps left out: %j',
    (ladder) => {
      const text = `policy: { stall_minutes: ${JSON.stringify(ladder)} }`;
      const { settings, diagnostics } = parseSettings(text, FILE, DEFAULT_SETTINGS);
      expect(diagnostics).toEqual([]);
      expect(settings.policy.stallMinutes).toEqual(ladder);
    },
  );

  it('apply over a base that is not the default', () => {
    const base = parseSettings(EVERYTHING, FILE, DEFAULT_SETTINGS).settings;
    const { settings } = parseSettings(
      'policy: { crash_limit: 9, gates: { weight_overrides: { large: { merge: skip } } } }\nharnesses: { mybot: { review: [other] } }\n',
      'orange.yaml',
      base,
    );
    expect(settings.policy.crashLimit).toBe(9);
    expect(settings.policy.settleMs).toBe(10);
    expect(settings.policy.weightOverrides).toEqual({ large: { plan: 'human', merge: 'skip' } });
    expect(settings.harnesses['mybot']).toEqual({ ...base.harnesses['mybot'], review: ['other'] });
  });
});

describe('settings of a project', () => {
  it('F72 name no commands until the project is trusted', () => {
    const yaml = { text: EVERYTHING, file: 'orange.yaml' };
    const { settings, diagnostics } = applyProjectSettings(DEFAULT_SETTINGS, yaml, false);
    expect(settings.harnesses).toEqual({});
    expect(settings.pool).toMatchObject({ setup: [], fill: 'ahead' });
    expect(settings.policy.checks).toMatchObject({ handoff: [], merge: null });
    expect(settings.policy.crashLimit).toBe(3);
    expect(settings.notify).toMatchObject({ command: null, bell: false });
    expect(settings.tmuxSocket).toBeNull();
    expect(diagnostics).toMatchObject([{ code: 'ORA083', severity: 'warning' }]);
    expect(applyProjectSettings(DEFAULT_SETTINGS, yaml, true)).toEqual(
      parseSettings(EVERYTHING, 'orange.yaml', DEFAULT_SETTINGS),
    );
  });

  it('need no trust when they name none', () => {
    const yaml = { text: 'policy: { crash_limit: 9 }\n', file: 'orange.yaml' };
    expect(applyProjectSettings(DEFAULT_SETTINGS, yaml, false).diagnostics).toEqual([]);
  });
});
