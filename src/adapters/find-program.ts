import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Where a program is: an absolute path as it stands, a bare name along PATH; null when there is no
 * executable file. Relative directories count for nothing, since the agent runs somewhere else.
 */
export function findProgram(name: string, pathVariable: string): string | null {
  if (isAbsolute(name)) return isExecutableFile(name) ? name : null;
  if (name === '' || name.includes('/')) return null;
  for (const directory of new Set(pathVariable.split(delimiter))) {
    const path = join(directory, name);
    if (isAbsolute(directory) && isExecutableFile(path)) return path;
  }
  return null;
}

function isExecutableFile(path: string): boolean {
  try {
    // Along PATH most names are absent, and an exception for each would take longer than the look.
    if (!existsSync(path) || !statSync(path).isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
