import { dirname, join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory, inRepositoryTurn } from './git-context.js';

const MAX_EXCLUDE_BYTES = 1024 * 1024;

/** Has git overlook these paths, given from the top, in every worktree; one that is listed is not added. */
export function excludePaths(
  context: GitContext,
  repository: string,
  paths: readonly string[],
): Promise<Result<void>> {
  return inRepositoryTurn(context, repository, async () => {
    const common = await findCommonDirectory(context, repository);
    if (!common.ok) return common;
    // Linked worktrees read the exclusions of the repository, not of their own directory.
    return addLines(context, join(common.value, 'info', 'exclude'), paths.map(patternOf));
  });
}

function addLines(context: GitContext, path: string, lines: readonly string[]): Result<void> {
  const { files } = context;
  const state = files.stat(path);
  if (!state.ok) return state;
  if (state.value.kind === 'absent') {
    const made = files.makeDirectory(dirname(path));
    return made.ok ? replace(context, path, `${lines.join('\n')}\n`) : made;
  }
  const read = files.readText(path, MAX_EXCLUDE_BYTES);
  if (!read.ok) return read;
  const { text } = read.value;
  const known = new Set(text.split(/\r?\n/));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return DONE;
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  return replace(context, path, `${text}${separator}${missing.join('\n')}\n`);
}

/** A pattern that stands for exactly this path. */
function patternOf(path: string): string {
  return `/${path.replaceAll(/[\\*?[\]]/g, String.raw`\$&`).replace(/ $/, String.raw`\ `)}`;
}

function replace(context: GitContext, path: string, text: string): Result<void> {
  const replaced = context.files.replace(path, text);
  return replaced.ok ? DONE : replaced;
}
