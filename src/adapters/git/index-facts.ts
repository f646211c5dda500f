import { join, resolve } from 'node:path';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { FileStamp } from '../../ports.js';
import type { GitContext, IndexFacts } from './git-context.js';
import { TASK_FILE } from './worktree-state.js';

const LINK_MODE = '160000 ';
/** A letter and a space stand before each entry: S where files are skipped, small where they are taken as unchanged. */
const TAG_LENGTH = 2;
const HIDDEN = /^[Sa-z]/;
const MAX_KEPT = 500;

/** Git writes an index anew for each change, so the same stamp means the same index. */
export async function readIndexFacts(
  context: GitContext,
  directory: string,
): Promise<Result<IndexFacts>> {
  const before = stampOfIndex(context, directory);
  const kept = context.indexFacts.get(directory);
  if (before !== null && kept !== undefined && isSameIndex(kept.stamp, before)) {
    return success(kept.facts);
  }
  const argv = ['ls-files', '-v', '--stage', '-z'];
  const lines = await context.git.list({ directory, argv });
  if (!lines.ok) return lines;
  const facts: IndexFacts = {
    links: lines.value.filter((line) => line.startsWith(LINK_MODE, TAG_LENGTH)).map(readLink),
    hasTaskFile: lines.value.some((line) => line.endsWith(`\t${TASK_FILE}`)),
    hasHidden: lines.value.some((line) => HIDDEN.test(line)),
  };
  const after = stampOfIndex(context, directory);
  if (before !== null && after !== null && isSameIndex(before, after)) {
    if (context.indexFacts.size > MAX_KEPT) context.indexFacts.clear();
    context.indexFacts.set(directory, { stamp: after, facts });
  }
  return success(facts);
}

function readLink(line: string): { readonly path: string; readonly object: string } {
  const tab = line.indexOf('\t');
  const [, , object = ''] = line.slice(0, tab).split(' ');
  return { path: line.slice(tab + 1), object };
}

/** The stamp of a worktree's index; null where there is none. */
export function stampOfIndex({ files }: GitContext, directory: string): FileStamp | null {
  const pointer = files.readText(join(directory, '.git'), 4096);
  const target = pointer.ok ? /^gitdir: (.+)\n?$/.exec(pointer.value.text)?.[1] : undefined;
  if (target === undefined) return null;
  const state = files.stat(join(resolve(directory, target), 'index'));
  return state.ok && state.value.kind === 'file' ? state.value.stamp : null;
}

export function isSameIndex(one: FileStamp, other: FileStamp): boolean {
  return one.mtimeMs === other.mtimeMs && one.size === other.size && one.inode === other.inode;
}
