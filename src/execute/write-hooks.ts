import { join } from 'node:path';
import { success, type Result } from '../domain/result.js';
import type { Harness } from '../harness/harness.js';
import type { Files } from '../ports.js';

/** Puts the files of a harness's hooks where they belong; gives the variables that point to them. */
export function writeHooks(
  files: Files,
  harness: Harness,
  directory: string,
): Result<Readonly<Record<string, string>>> {
  const hooks = harness.hooks?.(directory);
  if (hooks === undefined) return success({});
  const made = files.makeDirectory(directory);
  if (!made.ok) return made;
  for (const [name, text] of Object.entries(hooks.files)) {
    const path = join(directory, name);
    const current = files.readText(path, MAX_HOOK_BYTES);
    if (current.ok && current.value.text === text) continue;
    const written = files.replace(path, text);
    if (!written.ok) return written;
  }
  return success(hooks.env);
}

const MAX_HOOK_BYTES = 64 * 1024;
