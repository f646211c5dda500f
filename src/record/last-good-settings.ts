import { DEFAULT_SETTINGS, type Settings } from '../domain/settings.js';
import { success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import type { Paths } from './paths.js';
import { MAX_SETTINGS_LENGTH, parseSettings } from './settings-file.js';

/** UTF-8 takes at most three bytes for each unit of a text. */
const MAX_BYTES = 3 * MAX_SETTINGS_LENGTH;

/** config.yaml as it last was valid; null when nothing is kept, or it is not valid any more. */
export function readLastGoodSettings(
  files: Pick<Files, 'readText'>,
  { goodConfigFile }: Paths,
): { readonly text: string; readonly settings: Settings } | null {
  const read = files.readText(goodConfigFile, MAX_BYTES);
  if (!read.ok) return null;
  const { text } = read.value;
  const { settings, diagnostics } = parseSettings(text, goodConfigFile, DEFAULT_SETTINGS);
  return diagnostics.some(({ severity }) => severity === 'error') ? null : { text, settings };
}

/** Keeps the text of a valid config.yaml, or with null that there is none; writes only what is new. */
export function keepLastGoodSettings(
  files: Files,
  { goodConfigFile }: Paths,
  text: string | null,
): Result<void> {
  if (text === null) return files.remove(goodConfigFile);
  const read = files.readText(goodConfigFile, MAX_BYTES);
  if (read.ok && read.value.text === text) return success(undefined);
  const written = files.replace(goodConfigFile, text);
  return written.ok ? success(undefined) : written;
}
