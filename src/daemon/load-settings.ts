import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Diagnostic } from '../domain/diagnostic.js';
import type { Project } from '../domain/project.js';
import { DEFAULT_SETTINGS, type Settings } from '../domain/settings.js';
import type { ProjectView } from '../domain/task-view.js';
import type { Files } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { applyProjectSettings, parseSettings } from '../record/settings-file.js';

const MAX_SETTINGS_BYTES = 256 * 1024;

/** How a project stands to the orange.yaml that lies in its repository now. */
export type Trust = ProjectView['trusted'];

/** The texts that the settings are made of now, in one word: the same word means the same settings. */
export function readSettingsWord(files: Files, paths: Paths, projects: Iterable<Project>): string {
  const rows = [...projects].map(({ name, path, trusted }) => {
    return [name, path, trusted, readSettings(files, join(path, 'orange.yaml'))];
  });
  return JSON.stringify([readSettings(files, paths.configFile), rows]);
}

/** Settings of the user that were valid, with the text they were made of; null where there was no file. */
export type GoodSettings = { readonly settings: Settings; readonly text: string | null };

/** Reads the user's settings. A file with errors gives none, and the last good ones stay in force. */
export function loadUserSettings(
  files: Files,
  paths: Paths,
): { readonly good: GoodSettings | null; readonly diagnostics: readonly Diagnostic[] } {
  const text = readSettings(files, paths.configFile);
  if (text === null) return { good: { settings: DEFAULT_SETTINGS, text }, diagnostics: [] };
  if (typeof text === 'object') return { good: null, diagnostics: [text] };
  const { settings, diagnostics } = parseSettings(text, paths.configFile, DEFAULT_SETTINGS);
  const isBad = diagnostics.some(({ severity }) => severity === 'error');
  return { good: isBad ? null : { settings, text }, diagnostics };
}

/** Folds a project's own orange.yaml into the user's settings, commands only if it is trusted. */
export function loadProjectSettings(
  files: Files,
  project: Project,
  user: Settings,
): { readonly settings: Settings; readonly diagnostics: readonly Diagnostic[] } {
  const file = join(project.path, 'orange.yaml');
  const text = readSettings(files, file);
  if (text === null) return { settings: user, diagnostics: [] };
  if (typeof text === 'object') return { settings: user, diagnostics: [text] };
  return applyProjectSettings(user, { text, file }, digestOf(text) === project.trusted);
}

export function trustOf(files: Files, project: Project): Trust {
  const text = readSettings(files, join(project.path, 'orange.yaml'));
  if (typeof text !== 'string') return 'none-needed';
  if (project.trusted === undefined) return 'untrusted';
  return digestOf(text) === project.trusted ? 'trusted' : 'changed';
}

/** The digest that trusting this project's orange.yaml pins, or null when it has none. */
export function trustDigest(files: Files, project: Project): string | null {
  const text = readSettings(files, join(project.path, 'orange.yaml'));
  return typeof text === 'string' ? digestOf(text) : null;
}

/** The text, null when there is no file, or what keeps it from being read. */
function readSettings(files: Files, path: string): string | Diagnostic | null {
  const read = files.readText(path, MAX_SETTINGS_BYTES);
  if (read.ok) return read.value.text;
  const code = read.failure.kind === 'io-failed' ? read.failure.code : read.failure.kind;
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  return {
    code: 'ORA080',
    severity: 'error',
    file: path,
    line: 1,
    message: `the settings cannot be read: ${code}`,
    fix: 'make it a plain text file that you own, no link',
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
