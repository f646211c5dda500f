import { parseDocument, type Pair } from 'yaml';
import type { Diagnostic } from '../domain/diagnostic.js';
import { DEMO_HARNESS, HARNESS_PROGRAMS } from '../domain/harness-names.js';
import { findUnknownPlaceholder, listPlaceholders } from '../domain/harness-template.js';
import { MERGE_STRATEGIES, type HarnessSettings, type Settings } from '../domain/settings.js';
import { errorAt, warningAt } from './diagnostic-codes.js';
import { findYamlHazard } from './find-yaml-hazard.js';
import { readPullRequests } from './settings-pull-requests.js';
import { readPolicy } from './settings-policy.js';
import {
  ARGV,
  decimal,
  FLAG,
  join,
  oneOf,
  orNull,
  SettingsReader,
  TEXT_OR_NULL,
  TEXTS,
  wholeNumber,
} from './settings-reader.js';
import { lineOf, valueOf } from './yaml-value.js';

export const MAX_SETTINGS_LENGTH = 64 * 1024;
const MAX_TOKENS = 4000;

export type SettingsReading = {
  /** The base with every valid key of the file applied. */
  readonly settings: Settings;
  readonly diagnostics: readonly Diagnostic[];
};

/** Reads config.yaml or orange.yaml over a base. */
export function parseSettings(text: string, file: string, base: Settings): SettingsReading {
  const document = openDocument(text, file);
  if ('code' in document) return { settings: base, diagnostics: [document] };
  const reader = new SettingsReader(text, file);
  const top = reader.section(document.root, '', [
    'harnesses',
    'harness_order',
    'pool',
    'policy',
    'merge',
    'pr',
    'queue',
    'salvage',
    'notify',
    'tmux',
    'sweep_seconds',
    'reconcile_seconds',
  ]);
  const settings: Settings = {
    harnesses: readHarnesses(reader, top.node('harnesses'), base.harnesses),
    harnessOrder: top.read('harness_order', TEXTS, base.harnessOrder),
    pool: readPool(reader, top.node('pool'), base.pool),
    policy: readPolicy(reader, top.node('policy'), base.policy),
    merge: readMerge(reader, top.node('merge'), base.merge),
    pr: readPullRequests(reader, top.node('pr'), base.pr),
    queue: readQueue(reader, top.node('queue'), base.queue),
    salvage: {
      keepDays: reader
        .section(top.node('salvage'), 'salvage', ['keep_days'])
        .read('keep_days', orNull(wholeNumber(1, 36_500)), base.salvage.keepDays),
    },
    notify: readNotify(reader, top.node('notify'), base.notify),
    tmuxSocket: reader
      .section(top.node('tmux'), 'tmux', ['socket'])
      .read('socket', TEXT_OR_NULL, base.tmuxSocket),
    sweepSeconds: top.read('sweep_seconds', decimal(0.05), base.sweepSeconds),
    reconcileSeconds: top.read('reconcile_seconds', decimal(1), base.reconcileSeconds),
  };
  // Found setting by setting; whoever mends the file goes through it from the top.
  const diagnostics = reader.diagnostics.toSorted((one, other) => one.line - other.line);
  return { settings, diagnostics };
}

/**
 * The settings of one project. Until it is trusted, nothing in its file may name a command or
 * a place outside the project.
 */
export function applyProjectSettings(
  base: Settings,
  orangeYaml: { readonly text: string; readonly file: string },
  isTrusted: boolean,
): SettingsReading {
  const { settings, diagnostics } = parseSettings(orangeYaml.text, orangeYaml.file, base);
  if (isTrusted) return { settings, diagnostics };
  const kept: Settings = {
    ...settings,
    harnesses: base.harnesses,
    pool: { ...settings.pool, setup: base.pool.setup },
    policy: { ...settings.policy, checks: base.policy.checks },
    notify: { ...settings.notify, command: base.notify.command },
    tmuxSocket: base.tmuxSocket,
  };
  if (JSON.stringify(kept) === JSON.stringify(settings)) return { settings, diagnostics };
  const warning = warningAt('ORA083', {
    file: orangeYaml.file,
    line: 1,
    message: 'the file names commands and is not trusted; they are left out',
    fix: 'read the file, then run: orange project trust',
  });
  return { settings: kept, diagnostics: [...diagnostics, warning] };
}

function openDocument(text: string, file: string): { readonly root: unknown } | Diagnostic {
  const refuse = (line: number, message: string, fix: string): Diagnostic =>
    errorAt('ORA080', { file, line, message, fix });
  if (text.length > MAX_SETTINGS_LENGTH) {
    return refuse(1, 'the settings are larger than 64 KiB', 'shorten the file');
  }
  const hazard = findYamlHazard(text, MAX_TOKENS);
  if (hazard !== null) {
    const fix = 'write values out: no anchors, no tags, no deep nesting';
    return refuse(hazard.line, 'the settings use YAML that orange does not read', fix);
  }
  const document = parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: true,
    merge: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const error = document.errors[0];
  if (error === undefined) return { root: document.contents };
  const reason = error.message.split('\n')[0] ?? error.code;
  return refuse(lineOf(text, error.pos[0]), `not valid YAML: ${reason}`, 'correct the line');
}

function readHarnesses(
  reader: SettingsReader,
  node: unknown,
  base: Settings['harnesses'],
): Settings['harnesses'] {
  const harnesses: Record<string, HarnessSettings> = { ...base };
  for (const [name, pair] of reader.named(node, 'harnesses')) {
    const before = Object.hasOwn(base, name) ? (base[name] ?? {}) : {};
    const harness = readHarness(reader, pair, { name, before });
    if (harness.command !== undefined || isBuiltIn(name)) {
      harnesses[name] = harness;
    } else {
      const fix = `add \`command: [${name}, "{prompt}"]\``;
      reader.report('ORA082', pair.key, { message: `harnesses.${name} has no command`, fix });
    }
  }
  return harnesses;
}

function readHarness(
  reader: SettingsReader,
  pair: Pair,
  { name, before }: { readonly name: string; readonly before: HarnessSettings },
): HarnessSettings {
  const path = join('harnesses', name);
  const section = reader.section(pair.value, path, ['command', 'review', 'resume', 'env']);
  const argv = (key: 'command' | 'review' | 'resume'): HarnessSettings => {
    const old = before[key] ?? null;
    const given = section.read<readonly string[] | null>(key, ARGV, old);
    const unknown = findUnknownPlaceholder(given ?? []);
    if (unknown !== null) {
      const message = `${path}.${key} has ${unknown}, which stands for nothing`;
      const fix = `use ${listPlaceholders()}`;
      reader.report('ORA082', section.pair(key)?.key, { message, fix });
    }
    const value = unknown === null ? given : old;
    return value === null ? {} : { [key]: value };
  };
  const env = { ...before.env, ...readEnvironment(reader, section.node('env'), path) };
  return {
    ...argv('command'),
    ...argv('review'),
    ...argv('resume'),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

function isBuiltIn(name: string): boolean {
  return name === DEMO_HARNESS || Object.hasOwn(HARNESS_PROGRAMS, name);
}

function readEnvironment(
  reader: SettingsReader,
  node: unknown,
  path: string,
): Readonly<Record<string, string | null>> {
  const env: Record<string, string | null> = {};
  for (const [name, pair] of reader.named(node, join(path, 'env'))) {
    const value = valueOf(pair.value);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || (value !== null && typeof value !== 'string')) {
      reader.wrong(pair, `${path}.env.${name}`, 'a variable name with a text, or null to unset it');
    } else {
      env[name] = value;
    }
  }
  return env;
}

function readPool(reader: SettingsReader, node: unknown, base: Settings['pool']): Settings['pool'] {
  const section = reader.section(node, 'pool', [
    'fill',
    'setup',
    'setup_files',
    'setup_timeout_minutes',
    'copy',
    'keep_ignored',
  ]);
  return {
    fill: section.read('fill', oneOf(['lazy', 'ahead'] as const), base.fill),
    setup: section.read('setup', TEXTS, base.setup),
    setupFiles: section.read('setup_files', TEXTS, base.setupFiles),
    setupTimeoutMinutes: section.read(
      'setup_timeout_minutes',
      decimal(0.01),
      base.setupTimeoutMinutes,
    ),
    copy: section.read('copy', TEXTS, base.copy),
    keepIgnored: section.read('keep_ignored', FLAG, base.keepIgnored),
  };
}

function readMerge(
  reader: SettingsReader,
  node: unknown,
  base: Settings['merge'],
): Settings['merge'] {
  const section = reader.section(node, 'merge', ['strategy', 'push', 'delete_branch']);
  return {
    strategy: section.read('strategy', oneOf(MERGE_STRATEGIES), base.strategy),
    push: section.read('push', FLAG, base.push),
    deleteBranch: section.read('delete_branch', FLAG, base.deleteBranch),
  };
}

function readQueue(
  reader: SettingsReader,
  node: unknown,
  base: Settings['queue'],
): Settings['queue'] {
  const section = reader.section(node, 'queue', ['max_active_tasks', 'starvation_guard']);
  return {
    maxActiveTasks: section.read(
      'max_active_tasks',
      orNull(wholeNumber(1, 1000)),
      base.maxActiveTasks,
    ),
    starvationGuard: section.read('starvation_guard', FLAG, base.starvationGuard),
  };
}

function readNotify(
  reader: SettingsReader,
  node: unknown,
  base: Settings['notify'],
): Settings['notify'] {
  const section = reader.section(node, 'notify', ['desktop', 'bell', 'command']);
  return {
    desktop: section.read('desktop', FLAG, base.desktop),
    bell: section.read('bell', FLAG, base.bell),
    command: section.read('command', orNull(ARGV), base.command),
  };
}
