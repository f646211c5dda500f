import { gibberish, mutate } from './mutate.mjs';

export const TASK_ID = 'fuzz00000000000000001';
const WHEN = '2026-01-02T03:04:05.000Z';
const STATUSES = [
  'pending',
  'planning',
  'working',
  'clarification',
  'agent-review',
  'stuck',
  'done',
];
const WORDS = [
  'add',
  'a',
  'dark',
  'mode: now',
  '"quoted"',
  '#1',
  'naïve',
  '漢字',
  '- dash',
  "it's",
  '[x]',
];
const EXAMPLE = '```md\n## Handoff\n\nDONE: only an example\n```';
const SECTIONS = {
  Context: ['Make it better.', `Like this:\n\n${EXAMPLE}`],
  Plan: [
    'APPROACH: step by step\nTOUCHING: src/a.ts',
    `APPROACH:\nstep by step\n\n${EXAMPLE}`,
    'RISKS: nobody knows how',
  ],
  Handoff: ['DONE: all of it\nREMAINING: nothing', 'UNCERTAIN:\n- whether it works'],
  Review: ['Verdict: PASS\n\nLooks right.', 'Verdict: FAIL\n\n1. Wrong.', 'Looks right.'],
  Questions: ['1. Which colour?'],
};

/** A TASK.md as orange and agents write it. */
export function validTask(random, status = random.pick(STATUSES)) {
  const summary = Array.from({ length: 1 + random.below(6) }, () => random.pick(WORDS)).join(' ');
  const isBound = status !== 'pending' && status !== 'done';
  const extras = random.chance(0.3) ? ['priority: high', 'tags: [ui, a-b]', 'note: kept'] : [];
  const lines = [
    `id: ${TASK_ID}`,
    'project: shop',
    'branch: dark-mode',
    'harness: claude',
    'review_harness: codex',
    `status: ${status}`,
    `review_round: ${status === 'agent-review' ? 1 + random.below(2) : random.below(2)}`,
    'crash_count: 0',
    `summary: ${JSON.stringify(summary)}`,
    `workspace: ${isBound ? 'shop--1' : 'null'}`,
    `tmux_session: ${isBound ? 'shop/dark-mode' : 'null'}`,
    'pr_url: null',
    `created_at: ${WHEN}`,
    `updated_at: ${WHEN}`,
    ...extras,
  ];
  const names = Object.keys(SECTIONS).filter(() => random.chance(0.6));
  const body = names.map((name) => `\n## ${name}\n\n${random.pick(SECTIONS[name])}\n`).join('');
  const text = `---\n${lines.join('\n')}\n---\n${body}`;
  return random.chance(0.1) ? text.replaceAll('\n', '\r\n') : text;
}

/** Frontmatter that tries to run something: it would leave the canary's file behind. */
function hostileTask(random, canary) {
  const code = `require('node:fs').writeFileSync(${JSON.stringify(canary)}, 'x')`;
  const language = random.pick([
    'js',
    'javascript',
    'JS',
    ' js',
    'js ',
    'json',
    'coffee',
    'yaml',
    '',
  ]);
  const tag = random.pick([
    '!!js/function ',
    '!<tag:yaml.org,2002:js/function> ',
    '!!js/undefined ',
    '',
  ]);
  return random.pick([
    `---${language}\n(${code}, {id: 'x'})\n---\n`,
    `---\nid: ${tag}"function () { ${code} }"\n---\n`,
    `---\nsummary: "${tag}"\nx: ${tag}>\n  function () { ${code} }\n---\n---js\n${code}\n---\n`,
  ]);
}

/** Frontmatter made to be slow or deep. */
function heavyTask(random) {
  const many = random.pick([10, 100, 1_000, 20_000, 120_000]);
  const piece = random.pick([
    '\n',
    ' \n',
    '[',
    '{',
    '- ',
    '? ',
    'a: ',
    '&a [',
    '*a, ',
    '"',
    '#',
    ',',
    'k: v\n',
  ]);
  const closing = random.chance(0.5) ? '\n---\n' : '';
  return `---\n${random.chance(0.5) ? 'x: ' : ''}${piece.repeat(many)}${closing}`;
}

export const taskInput = (random, canary) =>
  random.pick([
    () => mutate(random, validTask(random)),
    () => mutate(random, validTask(random)),
    () => mutate(random, validTask(random)),
    () => validTask(random),
    () => mutate(random, hostileTask(random, canary)),
    () => (random.chance(0.1) ? heavyTask(random) : hostileTask(random, canary)),
    () => `---\n${gibberish(random)}\n---\n${gibberish(random)}`,
  ])();

const event = (random, type) =>
  JSON.stringify({
    type:
      type ??
      random.pick([
        'task.updated',
        'status.changed',
        'auto.advanced',
        'agent.crashed',
        'review.started',
      ]),
    timestamp: WHEN,
    from: random.pick(STATUSES),
    to: random.pick(STATUSES),
    launch: `l${random.below(5)}`,
    round: random.below(4),
    workspace: 'shop--1',
    tmux_session: 'shop/dark-mode',
  });

export const historyInput = (random) => {
  const lines = Array.from({ length: 1 + random.below(12) }, (_, n) =>
    event(random, n === 0 ? 'task.created' : undefined),
  );
  const text = lines.map((line) => `${line}\n`).join('');
  return random.chance(0.1) ? text : mutate(random, text);
};

export const poolInput = (random) => {
  const row = () => ({
    status: random.pick(['available', 'bound']),
    task: random.pick([null, 'shop/x']),
  });
  const rows = Array.from({ length: random.below(4) }, (_, n) => [`shop--${n + 1}`, row()]);
  return mutate(random, JSON.stringify({ workspaces: Object.fromEntries(rows) }, null, 2));
};

export const projectsInput = (random) => {
  const row = {
    name: 'shop',
    path: '/repos/shop',
    default_branch: 'main',
    pool_size: random.below(5),
  };
  return mutate(random, JSON.stringify([row, { ...row, name: 'zoo' }], null, 2));
};

const SETTINGS = `harnesses:
  mybot:
    command: [mybot, --task, "{task_file}", "{prompt}"]
    env: { SOME_FLAG: "1" }
pool: { fill: lazy, setup: ["npm ci"], copy: [".env"] }
policy:
  gates: { plan: auto, weight_overrides: { large: { plan: human } } }
  crash_limit: 2
  respawn_backoff_seconds: [5, 30, 120]
  checks: { handoff: ["npm test"] }
notify: { desktop: true, command: null }
tmux: { socket: null }
sweep_seconds: 1
`;
export const settingsInput = (random) => mutate(random, SETTINGS);

export const outboxInput = (random) => {
  const effect = {
    kind: random.pick(['start-agent', 'release-workspace', 'tell']),
    taskId: TASK_ID,
  };
  const entry = {
    seq: 7,
    taskId: TASK_ID,
    commit: random.pick([null, WHEN]),
    events: [event(random)],
    effects: [effect],
    requestId: null,
  };
  return mutate(random, `${JSON.stringify(entry)}\n`);
};

export const socketInput = (random) => {
  const request = { kind: 'task.cancel', taskId: TASK_ID, reason: null };
  const call = random.pick([
    { method: 'status' },
    { method: 'peek', taskId: TASK_ID, lines: 10 },
    { method: 'submit', request, actor: 'human' },
    { method: 'submit', request: { ...request, kind: 'task.send', text: 'go on' }, actor: 'agent' },
  ]);
  const line = `${JSON.stringify({ id: 1 + random.below(9), call })}\n`;
  return random.chance(0.2) ? gibberish(random, 200) : mutate(random, line);
};

const SCREENS = [
  '$ npm test\n',
  '\u001b[31mfailed\u001b[0m\n',
  '❯ 1. Yes\n  2. No\n',
  '│ > Try "fix"  │\n',
  '✳ Thinking… (esc to interrupt)\n',
];
export const captureInput = (random) => {
  const lines = Array.from({ length: 1 + random.below(20) }, () => random.pick(SCREENS));
  return random.chance(0.2) ? gibberish(random, 300) : mutate(random, lines.join(''), 20);
};
