import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { MergeRequest } from '../../domain/merge-request.js';
import type { CommitContent } from './commit-objects.js';
import { readCommit } from './commit-objects.js';
import type { GitContext } from './git-context.js';
import type { Tips } from './merge-steps.js';
import { commitSigned, mergeTrees, readAuthor } from './merge-steps.js';
import { isAncestor } from './refs.js';
import { replayCommits } from './replay-commits.js';

/** The commit that the base becomes, made without touching any branch or checkout. */
export async function buildMerge(
  context: GitContext,
  request: MergeRequest,
  built: { readonly tips: Tips; readonly earlier: string | null },
): Promise<Result<string>> {
  const { tips } = built;
  switch (request.strategy) {
    case 'ff':
      return fastForward(context, request, tips);
    case 'rebase':
      return replayCommits(context, request, tips);
    case 'squash':
    case 'preserve': {
      const tree = await mergeTrees(context, request, tips);
      if (!tree.ok) return tree;
      const parents = request.strategy === 'squash' ? [tips.base] : [tips.base, tips.branch];
      const content = { tree: tree.value, parents, message: tidyMessage(request) };
      return commitOnce(context, request, { ...built, content });
    }
  }
}

async function fastForward(
  context: GitContext,
  request: MergeRequest,
  tips: Tips,
): Promise<Result<string>> {
  const range = { older: tips.base, newer: tips.branch };
  const isPossible = await isAncestor(context.git, request.repository, range);
  if (!isPossible.ok) return isPossible;
  return isPossible.value
    ? success(tips.branch)
    : failed({ kind: 'merge-refused', base: request.base, reason: 'not-fast-forward' });
}

/** Takes the result of an earlier try if it is the very same, so that a repeat gives the same commit. */
async function commitOnce(
  context: GitContext,
  request: MergeRequest,
  built: { readonly tips: Tips; readonly earlier: string | null; readonly content: CommitContent },
): Promise<Result<string>> {
  const { content, earlier } = built;
  if (earlier !== null) {
    const before = await readCommit(context.git, request.repository, earlier);
    if (!before.ok) return before;
    const isSame =
      before.value.tree === content.tree &&
      before.value.message === content.message &&
      before.value.parents.join() === content.parents.join();
    if (isSame) return success(earlier);
  }
  const range = `${built.tips.base}..${built.tips.branch}`;
  const env = await readAuthor(context, request.repository, ['--no-merges', range]);
  if (!env.ok) return env;
  const { GIT_AUTHOR_DATE: _when, ...author } = env.value;
  return commitSigned(context, request, { ...content, env: author });
}

function tidyMessage(request: MergeRequest): string {
  const message = request.message.replaceAll('\0', '').trim();
  return `${message === '' ? `Merge ${request.branch}` : message}\n`;
}
