import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory } from './git-context.js';
import { seeRef } from './ref-files.js';
import { resolveRefs } from './refs.js';

/** What each of some full refs points to, null for one that does not exist; git is asked only in doubt. */
export async function lookUpRefs(
  context: GitContext,
  repository: string,
  refs: readonly string[],
): Promise<Result<readonly (string | null)[]>> {
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  const commits: (string | null)[] = [];
  for (const ref of refs) {
    const seen = seeRef(context.files, common.value, ref);
    if (seen === 'unsure') return resolveRefs(context.git, repository, refs);
    commits.push(seen === 'absent' ? null : seen.commit);
  }
  return success(commits);
}
