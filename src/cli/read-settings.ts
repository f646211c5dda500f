import { success, type Result } from '../domain/result.js';
import { DEFAULT_SETTINGS } from '../domain/settings.js';
import type { SettingsReading } from '../record/settings-file.js';
import type { CommandContext } from './command-context.js';

export const MAX_SETTINGS_BYTES = 64 * 1024;

/** The user's settings as the daemon takes them, with what is wrong in the file. */
export async function readSettings(
  context: Pick<CommandContext, 'files' | 'paths'>,
): Promise<Result<SettingsReading>> {
  const { configFile } = context.paths;
  const state = context.files.stat(configFile);
  if (!state.ok) return state;
  if (state.value.kind === 'absent') {
    return success({ settings: DEFAULT_SETTINGS, diagnostics: [] });
  }
  const file = context.files.readText(configFile, MAX_SETTINGS_BYTES);
  if (!file.ok) return file;
  const { parseSettings } = await import('../record/settings-file.js');
  const reading = parseSettings(file.value.text, configFile, DEFAULT_SETTINGS);
  if (!reading.diagnostics.some(({ severity }) => severity === 'error')) return success(reading);
  const { readLastGoodSettings } = await import('../record/last-good-settings.js');
  const last = readLastGoodSettings(context.files, context.paths);
  return success(last === null ? reading : { ...reading, settings: last.settings });
}
