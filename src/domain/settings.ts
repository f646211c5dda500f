import type { GateMode } from './extensions.js';

/** How an agent program is started: argv templates with `{placeholders}`, never a shell string. */
export type HarnessSettings = {
  /** May be absent only where it changes a built-in harness: that one's own is kept. */
  readonly command?: readonly string[];
  readonly review?: readonly string[];
  readonly resume?: readonly string[];
  readonly env?: Readonly<Record<string, string | null>>;
};

export const GATES = ['start', 'plan', 'review', 'merge'] as const;
export type GateName = (typeof GATES)[number];

export type Policy = {
  readonly gates: Readonly<Record<GateName, GateMode>>;
  readonly weightOverrides: Readonly<Record<string, Readonly<Partial<Record<GateName, GateMode>>>>>;
  readonly crashLimit: number;
  readonly autoRespawn: boolean;
  /** What becomes of agents that the death of the server or of the machine took along. */
  readonly afterInterruption: AfterInterruption;
  readonly respawnBackoffSeconds: readonly number[];
  readonly maxReviewRounds: number;
  readonly settleMs: number;
  /** `settled`: a quiet Handoff counts; `exit`: it counts only when the agent asks or ends. */
  readonly advanceHandoff: 'settled' | 'exit';
  readonly stallMinutes: readonly number[];
  readonly reservations: { readonly mode: 'warn' | 'block'; readonly ttlMinutes: number };
  readonly checks: {
    readonly handoff: readonly string[];
    /** Null: the same as at the handoff. */
    readonly merge: readonly string[] | null;
    /** How long each command may take. */
    readonly timeoutMinutes: number;
  };
};

export const AFTER_INTERRUPTION = ['resume', 'show'] as const;
export type AfterInterruption = (typeof AFTER_INTERRUPTION)[number];

export type MergeStrategy = 'squash' | 'preserve' | 'rebase' | 'ff';
export const MERGE_STRATEGIES: readonly MergeStrategy[] = ['squash', 'preserve', 'rebase', 'ff'];

export const PULL_REQUEST_FEEDBACK = ['auto', 'ask', 'off'] as const;
export type PullRequestFeedback = (typeof PULL_REQUEST_FEEDBACK)[number];

export type Settings = {
  readonly harnesses: Readonly<Record<string, HarnessSettings>>;
  readonly harnessOrder: readonly string[];
  readonly pool: {
    readonly fill: 'lazy' | 'ahead';
    /** Shell commands, exactly as the person wrote them. */
    readonly setup: readonly string[];
    /** Patterns of tracked files; the set-up runs again in a worktree where one of them changed. */
    readonly setupFiles: readonly string[];
    readonly setupTimeoutMinutes: number;
    /** Files of the person's own checkout that every task gets a copy of. */
    readonly copy: readonly string[];
    readonly keepIgnored: boolean;
  };
  readonly policy: Policy;
  readonly merge: {
    readonly strategy: MergeStrategy;
    readonly push: boolean;
    readonly deleteBranch: boolean;
  };
  readonly pr: {
    /** What becomes of failing checks and comments: told to the worker, to a person, or to nobody. */
    readonly feedback: PullRequestFeedback;
    /** How often GitHub is asked; 0 is never. */
    readonly pollMinutes: number;
  };
  readonly queue: {
    /** How many tasks may be at work at once over all projects; null is no limit. */
    readonly maxActiveTasks: number | null;
    /** Whether a task that waits rises by one priority step per day. */
    readonly starvationGuard: boolean;
  };
  readonly salvage: {
    /** After how many days saved work of tasks that are over is dropped; null keeps it for ever. */
    readonly keepDays: number | null;
  };
  readonly notify: {
    readonly desktop: boolean;
    readonly bell: boolean;
    readonly command: readonly string[] | null;
  };
  readonly tmuxSocket: string | null;
  readonly sweepSeconds: number;
  readonly reconcileSeconds: number;
};

export const DEFAULT_SETTINGS: Settings = {
  harnesses: {},
  harnessOrder: ['claude', 'codex', 'opencode', 'pi', 'gemini'],
  pool: {
    fill: 'lazy',
    setup: [],
    setupFiles: [
      'package-lock.json',
      'npm-shrinkwrap.json',
      'yarn.lock',
      'pnpm-lock.yaml',
      'bun.lock',
      'bun.lockb',
      'Cargo.lock',
      'poetry.lock',
      'uv.lock',
      'Pipfile.lock',
      'requirements*.txt',
      'Gemfile.lock',
      'go.sum',
      'composer.lock',
    ],
    setupTimeoutMinutes: 15,
    copy: [],
    keepIgnored: true,
  },
  policy: {
    gates: { start: 'auto', plan: 'auto', review: 'ai', merge: 'human' },
    weightOverrides: {},
    crashLimit: 2,
    autoRespawn: true,
    afterInterruption: 'resume',
    respawnBackoffSeconds: [5, 30, 120],
    maxReviewRounds: 2,
    settleMs: 1500,
    advanceHandoff: 'settled',
    stallMinutes: [10, 15, 20],
    reservations: { mode: 'warn', ttlMinutes: 30 },
    checks: { handoff: [], merge: null, timeoutMinutes: 15 },
  },
  merge: { strategy: 'squash', push: false, deleteBranch: true },
  pr: { feedback: 'ask', pollMinutes: 5 },
  queue: { maxActiveTasks: null, starvationGuard: false },
  salvage: { keepDays: 30 },
  notify: { desktop: true, bell: true, command: null },
  tmuxSocket: null,
  sweepSeconds: 1,
  reconcileSeconds: 30,
};
