import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Where a program is: an absolute path as it stands, a bare name along PATH; null when there is no
 * executable file. Relative directories count for nothing, since the agent runs somewhere else.
 */
export function findProgram(name: string, pathVariable: string): string | null {
  if (isAbsolute(name)) return isExecutableFile(name) ? name : null;
  if (name === '' || name.includes('/')) return null;
  const directories = pathVariable.split(delimiter).filter((directory) => isAbsolute(directory));
  return (
    directories.map((directory) => join(directory, name)).find((path) => isExecutableFile(path)) ??
    null
  );
}

function isExecutableFile(path: string): boolean {
  try {
    // Along PATH most names are absent, and an exception for each would take longer than the look.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
