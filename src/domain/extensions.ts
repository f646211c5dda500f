import type { Extensions, FrontmatterValue } from './task.js';

export const PRIORITIES = ['critical', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

export const QUEUES = ['active', 'backlog'] as const;
export const CATEGORIES = ['feature', 'bug', 'refactor', 'chore', 'docs', 'test'] as const;

export const GATE_MODES = ['auto', 'ai', 'human', 'skip'] as const;
export type GateMode = (typeof GATE_MODES)[number];

/** Extension keys that orange itself understands; any other key is kept and left alone. */
export const KNOWN_EXTENSIONS = [
  'priority',
  'queue',
  'category',
  'weight',
  'tags',
  'blocked_by',
  'related_to',
  'relations',
  'initiative',
  'touching',
  'base',
  'effort',
  'review_effort',
  'model',
  'harness_session',
  'gates',
  'restate',
  'context_ack',
  'hold',
  'budget',
  'testing',
  'assignee',
  'resolution',
  'pr_state',
  'pr_checks',
  'external_refs',
  'created_by',
  'planned_by',
  'implemented_by',
  'imported_from',
] as const;

export function priorityOf(extensions: Extensions): Priority {
  const value = textOf(extensions['priority']);
  if (value === 'medium') return 'normal';
  return PRIORITIES.find((priority) => priority === value) ?? 'normal';
}

export function isInBacklog(extensions: Extensions): boolean {
  return textOf(extensions['queue']) === 'backlog';
}

/** The hold that `task create --no-spawn` sets and `task spawn` lifts. */
export const NOT_SPAWNED = 'not spawned';

/** The reason a task is held back from the scheduler, or null. */
export function holdOf(extensions: Extensions): string | null {
  return textOf(extensions['hold']);
}

export function baseOf(extensions: Extensions): string | null {
  return textOf(extensions['base']);
}

export function blockersOf(extensions: Extensions): readonly string[] {
  return listOf(extensions['blocked_by']);
}

/** How many tokens a task may use (`budget: { tokens: N }`), or null when nobody has said. */
export function budgetOf(extensions: Extensions): number | null {
  const budget = extensions['budget'];
  const tokens = budget === undefined || !isMap(budget) ? null : textOf(budget['tokens']);
  return tokens !== null && /^[0-9]{1,15}$/.test(tokens) ? Number(tokens) : null;
}

export function gateOf(extensions: Extensions, gate: string): GateMode | null {
  const gates = extensions['gates'];
  if (gates === undefined || !isMap(gates)) return null;
  const mode = textOf(gates[gate]);
  return GATE_MODES.find((known) => known === mode) ?? null;
}

function isMap(value: FrontmatterValue): value is { readonly [key: string]: FrontmatterValue } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** A scalar extension as text; empty, null and missing are all null. */
export function textOf(value: FrontmatterValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A list extension as texts; a single scalar counts as a list of one. */
export function listOf(value: FrontmatterValue | undefined): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === 'string' && item !== '');
}
