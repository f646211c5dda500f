import {
  findUnknownPlaceholder,
  isPlaceholder,
  listPlaceholders,
  PLACEHOLDER_PATTERN,
  type Placeholder,
} from '../domain/harness-template.js';
import { failed, success, type Result } from '../domain/result.js';
import type { HarnessSettings } from '../domain/settings.js';
import type { AgentAssignment } from './agent-assignment.js';
import { continuesConversation, type Harness } from './harness.js';
import { promptArgument } from './prompt-argument.js';

type TemplateKey = 'command' | 'review' | 'resume';

/**
 * A harness as the user's settings change it: only the keys that are given. A given `command` also
 * starts reviewers, unless `review` is given too.
 */
export function customHarness(settings: HarnessSettings, builtIn: Harness): Harness {
  const { command, resume } = settings;
  return {
    name: builtIn.name,
    program: command?.[0] ?? builtIn.program,
    canResume: resume !== undefined || builtIn.canResume,
    takesSessionId:
      command?.some((argument) => argument.includes('{harness_session}')) ?? builtIn.takesSessionId,
    env: { ...builtIn.env, ...settings.env },
    ...(builtIn.hooks === undefined ? {} : { hooks: builtIn.hooks }),
    // They belong to the built-in way of resuming.
    ...(builtIn.hookFacts === undefined || resume !== undefined
      ? {}
      : { hookFacts: builtIn.hookFacts }),
    ...(builtIn.transcript === undefined ? {} : { transcript: builtIn.transcript }),
    command: (assignment) => {
      const key = templateFor(assignment, settings, builtIn.canResume);
      if (key === null) return builtIn.command(assignment);
      return fill({ name: builtIn.name, key, template: settings[key] ?? [] }, assignment);
    },
  };
}

/** What a name that is not built in starts from: a program of that name and no way to start it. */
export function harnessWithoutCommand(name: string): Harness {
  return {
    name,
    program: name,
    canResume: false,
    takesSessionId: false,
    env: {},
    command: () => noTemplate(name, 'command'),
  };
}

/** Which template starts this agent; null when none is given and the built-in decides. */
function templateFor(
  assignment: AgentAssignment,
  settings: HarnessSettings,
  builtInResumes: boolean,
): TemplateKey | null {
  const command = settings.command === undefined ? null : 'command';
  if (assignment.role === 'reviewer') return settings.review === undefined ? command : 'review';
  if (!continuesConversation(assignment)) return command;
  if (settings.resume !== undefined) return 'resume';
  return builtInResumes ? null : command;
}

type Template = {
  readonly name: string;
  readonly key: TemplateKey;
  readonly template: readonly string[];
};

/**
 * Fills a template in one pass, so that braces inside a value stay as they are and a value is never
 * more than one argument. An argument that is only an empty placeholder, or an option with one
 * (`{model}`, `--model={model}`), is left out; its neighbours stay.
 */
function fill(template: Template, assignment: AgentAssignment): Result<readonly string[]> {
  const unknown = findUnknownPlaceholder(template.template);
  if (unknown !== null) return unknownPlaceholder(template, unknown);
  const values = valuesOf(assignment);
  const filled = template.template
    .filter((argument) => !isEmptyOption(argument, values))
    .map((argument) => expand(argument, values));
  return filled[0] === undefined || filled[0] === ''
    ? noTemplate(template.name, template.key)
    : success(filled);
}

const LONE_PLACEHOLDER = /^(?:--?[A-Za-z][\w.-]*=)?\{([a-z_]+)\}$/;

function expand(argument: string, values: Readonly<Record<Placeholder, string>>): string {
  return argument.replace(PLACEHOLDER_PATTERN, (whole, name: string) =>
    isPlaceholder(name) ? values[name] : whole,
  );
}

function isEmptyOption(argument: string, values: Readonly<Record<Placeholder, string>>): boolean {
  const name = LONE_PLACEHOLDER.exec(argument)?.[1];
  return isPlaceholder(name) && values[name] === '';
}

function valuesOf(assignment: AgentAssignment): Readonly<Record<Placeholder, string>> {
  return {
    prompt: promptArgument(assignment),
    prompt_file: assignment.promptFile,
    task_file: assignment.taskFile,
    task_id: assignment.taskId,
    branch: assignment.branch,
    role: assignment.role,
    effort: assignment.effort ?? '',
    model: assignment.model ?? '',
    harness_session: assignment.role === 'worker' ? (assignment.harnessSession ?? '') : '',
  };
}

function unknownPlaceholder(template: Template, placeholder: string): Result<never> {
  return failed({
    kind: 'invalid-argument',
    argument: `harnesses.${template.name}.${template.key}`,
    value: placeholder,
    rule: 'unknown placeholder',
    remedy: `use ${listPlaceholders()}`,
  });
}

function noTemplate(name: string, key: TemplateKey): Result<never> {
  return failed({
    kind: 'invalid-argument',
    argument: `harnesses.${name}.${key}`,
    value: '',
    rule: 'must name a program',
    remedy: `give it as a list, e.g. ${key}: [${name}, "{prompt}"]`,
  });
}
