import { basename } from 'node:path';
import { discardTree } from '../../adapters/discard-tree.js';
import { restrictMode } from '../../adapters/disk-files.js';
import type { Survey } from '../../doctor/survey.js';
import type { Finding } from '../../domain/finding.js';
import { success, type Result } from '../../domain/result.js';
import type { Files, LaunchRecords } from '../../ports.js';
import type { Done } from './done.js';

export type LitterParts = {
  readonly files: Files;
  readonly launches: Pick<LaunchRecords, 'forget'>;
};

export async function removeLeftovers(
  { files, launches }: LitterParts,
  _: Finding,
  survey: Survey,
): Promise<Result<Done>> {
  for (const { path, what } of survey.leftovers) {
    const removed = await removeLeftover({ files, launches }, path, what);
    if (!removed.ok) return removed;
  }
  const { length } = survey.leftovers;
  return success({ message: length === 1 ? 'removed 1 leftover' : `removed ${length} leftovers` });
}

async function removeLeftover(
  { files, launches }: LitterParts,
  path: string,
  what: Survey['leftovers'][number]['what'],
): Promise<Result<void>> {
  if (what === 'launch') return launches.forget(basename(path));
  return what === 'set-aside' ? discardTree(path) : files.remove(path);
}

export async function closePaths(
  _: LitterParts,
  _finding: Finding,
  survey: Survey,
): Promise<Result<Done>> {
  for (const { path, wanted } of survey.openPaths) {
    const closed = restrictMode(path, wanted);
    if (!closed.ok) return closed;
  }
  const { length } = survey.openPaths;
  return success({ message: `closed ${length} ${length === 1 ? 'path' : 'paths'} to others` });
}
