import { CONVERSATION_ID_RULE, isConversationId } from '../domain/conversation-id.js';
import { FIELD_NAMES } from '../domain/task.js';
import { isProjectName, isTaskId } from '../domain/task-id.js';

/** Looks at one value from outside: null when it keeps the rule, else the rule in a few words. */
export type Rule = (value: unknown) => string | null;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function text(limits: { readonly min?: number; readonly max: number }): Rule {
  const min = limits.min ?? 0;
  return (value) => {
    if (typeof value !== 'string') return 'a text';
    if (value.length < min) return 'not empty';
    if (value.length > limits.max) return `at most ${limits.max} characters`;
    return value.includes('\0') ? 'without NUL characters' : null;
  };
}

export function wholeNumber(limits: { readonly min: number; readonly max: number }): Rule {
  return (value) =>
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    value >= limits.min &&
    value <= limits.max
      ? null
      : `a whole number from ${limits.min} to ${limits.max}`;
}

export function oneOf(words: readonly string[]): Rule {
  return (value) =>
    typeof value === 'string' && words.includes(value) ? null : `one of ${words.join(', ')}`;
}

export function listOf(rule: Rule, max: number): Rule {
  return (value) => {
    if (!Array.isArray(value) || value.length > max) return `a list of at most ${max}`;
    return value.map(rule).find((broken) => broken !== null) ?? null;
  };
}

export function orNull(rule: Rule): Rule {
  return (value) => (value === null ? null : rule(value));
}

export function optional(rule: Rule): Rule {
  return (value) => (value === undefined ? null : rule(value));
}

export const yesOrNo: Rule = (value) => (typeof value === 'boolean' ? null : 'true or false');

export const taskId: Rule = (value) =>
  typeof value === 'string' && isTaskId(value) ? null : 'a task id: 1 to 64 letters and digits';

export const projectName: Rule = (value) =>
  typeof value === 'string' && isProjectName(value)
    ? null
    : 'a project name: letters, digits, dot, dash and underscore, at most 64';

export const conversationId: Rule = (value) =>
  typeof value === 'string' && isConversationId(value) ? null : CONVERSATION_ID_RULE;

export const absolutePath: Rule = (value) =>
  text({ min: 1, max: 4096 })(value) ??
  (typeof value === 'string' && value.startsWith('/') ? null : 'an absolute path');

/** Extension keys with frontmatter values, bounded in number, depth and size. */
export const extensionEdits: Rule = (value) => {
  if (!isRecord(value)) return 'an object of frontmatter keys';
  const keys = Object.keys(value);
  if (keys.length > MAX_KEYS) return `at most ${MAX_KEYS} keys`;
  for (const key of keys) {
    if (!isKey(key)) return `frontmatter keys of letters, digits, dash and underscore`;
    if ((FIELD_NAMES as readonly string[]).includes(key)) return `no key named ${key}, a field`;
    const broken = frontmatterValue(value[key], MAX_DEPTH);
    if (broken !== null) return broken;
  }
  return JSON.stringify(value).length > MAX_SIZE ? `at most ${MAX_SIZE} characters` : null;
};

const MAX_KEYS = 100;
const MAX_DEPTH = 6;
const MAX_SIZE = 16 * 1024;

function frontmatterValue(value: unknown, depth: number): string | null {
  if (value === null) return null;
  if (typeof value === 'string') return text({ max: MAX_SIZE })(value);
  if (typeof value !== 'object') return 'texts, lists and maps only';
  if (depth === 0) return `at most ${MAX_DEPTH} levels`;
  if (!Array.isArray(value) && !Object.keys(value).every((key) => isKey(key))) {
    return 'frontmatter keys of letters, digits, dash and underscore';
  }
  for (const item of Object.values(value)) {
    const broken = frontmatterValue(item, depth - 1);
    if (broken !== null) return broken;
  }
  return null;
}

function isKey(key: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(key) && key !== '__proto__';
}
