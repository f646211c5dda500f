import { cleanText } from '../domain/clean-text.js';
import { success, type Result } from '../domain/result.js';
import type { Occupant, ProcessTable } from './process-table.js';

/** Who works at or below a directory, each with a command that can be shown. */
export function findOccupants(
  processes: Pick<ProcessTable, 'findInside'>,
  directory: string,
): Result<readonly Occupant[]> {
  const found = processes.findInside(directory);
  if (!found.ok) return found;
  return success(
    found.value.map((occupant) => ({ ...occupant, command: shortened(occupant.command) })),
  );
}

function shortened(command: string): string {
  const text = Buffer.from(command, 'latin1').toString('utf8').replaceAll('\0', ' ');
  const words = cleanText(text).replaceAll(/\s+/g, ' ').trim();
  return words.length > MAX_COMMAND ? `${words.slice(0, MAX_COMMAND)}…` : words;
}

const MAX_COMMAND = 60;
