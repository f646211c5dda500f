import type { Role } from '../domain/session.js';

/** What an agent is told about its task through its environment. */
export type AgentFacts = {
  readonly home: string;
  readonly taskId: string;
  readonly taskFile: string;
  readonly project: string;
  readonly branch: string;
  readonly workspace: string;
  readonly slot: number;
  readonly role: Role;
  readonly reviewRound: number;
  readonly launchId: string;
  /** Directory with the `orange` command the agent shall find first. */
  readonly shimDirectory: string;
};

// The pane, the shell and tmux set these themselves; inherited, they would be wrong.
const NOT_INHERITED = new Set([
  'TMUX',
  'TMUX_PANE',
  'TMUX_TMPDIR',
  'TERM',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'COLUMNS',
  'LINES',
  'INIT_CWD',
  'PWD',
  'OLDPWD',
  'SHLVL',
  '_',
]);
const FALLBACK_PATH = '/usr/local/bin:/usr/bin:/bin';

/** The complete environment of an agent: the daemon's, less what is not its own, plus orange's. */
export function agentEnvironment(input: {
  readonly daemonEnv: Readonly<Record<string, string | undefined>>;
  /** Variables for its hooks; whatever the person has set goes before them. */
  readonly hookEnv?: Readonly<Record<string, string>>;
  readonly harnessEnv: Readonly<Record<string, string | null>>;
  readonly orange: AgentFacts;
}): Record<string, string> {
  const env = new Map<string, string>(Object.entries(input.hookEnv ?? {}));
  for (const [name, value] of Object.entries(input.daemonEnv)) {
    if (value !== undefined && isInherited(name)) env.set(name, value);
  }
  for (const [name, value] of Object.entries(input.harnessEnv)) {
    if (value === null) env.delete(name);
    else env.set(name, value);
  }
  const path = env.get('PATH') ?? '';
  env.set('PATH', `${input.orange.shimDirectory}:${path === '' ? FALLBACK_PATH : path}`);
  for (const [name, value] of orangeVariables(input.orange)) env.set(name, value);
  return Object.fromEntries([...env].filter(([name, value]) => isPassable(name, value)));
}

/** The complete environment of a command out of the person's settings: the daemon's, and the facts. */
export function commandEnvironment(
  daemonEnv: Readonly<Record<string, string | undefined>>,
  facts: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited = Object.entries(daemonEnv).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isInherited(entry[0]),
  );
  const all = Object.entries({ PATH: FALLBACK_PATH, ...Object.fromEntries(inherited), ...facts });
  return Object.fromEntries(all.filter(([name, value]) => isPassable(name, value)));
}

function isInherited(name: string): boolean {
  if (name.startsWith('ORANGE_')) return name.startsWith('ORANGE_DEMO_');
  return !NOT_INHERITED.has(name) && !name.startsWith('npm_');
}

// The launcher is a POSIX shell: it can hold no other names (bash's exported functions, say).
function isPassable(name: string, value: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !value.includes('\0');
}

function orangeVariables(facts: AgentFacts): readonly (readonly [string, string])[] {
  return [
    ['ORANGE_HOME', facts.home],
    ['ORANGE_TASK_ID', facts.taskId],
    ['ORANGE_TASK_FILE', facts.taskFile],
    ['ORANGE_PROJECT', facts.project],
    ['ORANGE_BRANCH', facts.branch],
    ['ORANGE_WORKSPACE', facts.workspace],
    ['ORANGE_SLOT', String(facts.slot)],
    ['ORANGE_ROLE', facts.role],
    ['ORANGE_REVIEW_ROUND', String(facts.reviewRound)],
    ['ORANGE_LAUNCH_ID', facts.launchId],
  ];
}
