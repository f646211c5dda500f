import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { MergeRequest } from '../../domain/merge-request.js';
import { readCommit, storeCommit } from './commit-objects.js';
import type { GitContext } from './git-context.js';
import type { Tips } from './merge-steps.js';
import { commitSigned, mergeTrees, readAuthor } from './merge-steps.js';

/** Puts each commit of a branch on top of the base, author and message kept, without a checkout. */
export async function replayCommits(
  context: GitContext,
  request: MergeRequest,
  tips: Tips,
): Promise<Result<string>> {
  const listed = await context.git.text({
    directory: request.repository,
    argv: ['rev-list', '--reverse', '--topo-order', '--parents', `${tips.base}..${tips.branch}`],
  });
  if (!listed.ok) return listed;
  const commits = listed.value.split('\n').map((line) => line.split(' '));
  if (commits.some((commit) => commit.length !== 2)) {
    return failed({
      kind: 'unsupported',
      what: 'rebasing a branch that contains merges',
      instead: 'squash or preserve',
    });
  }
  let onto = tips.base;
  for (const [commit = '', parent = ''] of commits) {
    const replayed = await replayCommit(context, request, { commit, parent, onto });
    if (!replayed.ok) return replayed;
    onto = replayed.value;
  }
  return success(onto);
}

type Step = { readonly commit: string; readonly parent: string; readonly onto: string };

async function replayCommit(
  context: GitContext,
  request: MergeRequest,
  step: Step,
): Promise<Result<string>> {
  const { git } = context;
  const directory = request.repository;
  if (step.parent === step.onto) return success(step.commit);
  const target = await readCommit(git, directory, step.onto);
  if (!target.ok) return target;
  // A commit with the target's files on the old parent makes that parent the merge base.
  const sideways = await storeCommit(git, directory, {
    tree: target.value.tree,
    parents: [step.parent],
    message: 'orange: replay\n',
  });
  if (!sideways.ok) return sideways;
  const tree = await mergeTrees(context, request, { base: sideways.value, branch: step.commit });
  if (!tree.ok) return tree;
  if (tree.value === target.value.tree) return success(step.onto);
  const original = await readCommit(git, directory, step.commit);
  if (!original.ok) return original;
  const env = await readAuthor(context, directory, [step.commit]);
  if (!env.ok) return env;
  return commitSigned(context, request, {
    tree: tree.value,
    parents: [step.onto],
    message: original.value.message,
    env: env.value,
  });
}
