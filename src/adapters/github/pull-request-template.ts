import { success, type Result } from '../../domain/result.js';
import type { Git } from '../git/git-command.js';
import { branchRef, remoteBranchRef, resolveCommit } from '../git/refs.js';

/** The pull request template on the base branch, where GitHub itself looks for one; null for none. */
export async function readTemplate(
  git: Git,
  repository: string,
  base: string,
): Promise<Result<string | null>> {
  const tip = await findTip(git, repository, base);
  if (!tip.ok) return tip;
  if (tip.value === null) return success(null);
  const commit = tip.value;
  for (const folder of ['.github/', '', 'docs/']) {
    const argv = ['ls-tree', '-z', '--full-tree', commit, ...(folder === '' ? [] : ['--', folder])];
    const listed = await git.list({ directory: repository, argv });
    if (!listed.ok) return listed;
    const object = listed.value.flatMap((row) => templateIn(row, folder) ?? [])[0];
    if (object !== undefined) return readBlob(git, repository, object);
  }
  return success(null);
}

async function findTip(git: Git, repository: string, base: string): Promise<Result<string | null>> {
  const remote = await resolveCommit(git, repository, remoteBranchRef(base));
  if (!remote.ok || remote.value !== null) return remote;
  return resolveCommit(git, repository, branchRef(base));
}

/** The object of a row `mode type object<TAB>path` that is a template in this folder. */
function templateIn(row: string, folder: string): string | null {
  const match = /^100(?:644|755) blob ([0-9a-f]{40,64})\t([^]*)$/.exec(row);
  const [, object = '', path = ''] = match ?? [];
  const isTemplate =
    path.startsWith(folder) &&
    /^pull_request_template(?:\.(?:md|txt))?$/i.test(path.slice(folder.length));
  return isTemplate ? object : null;
}

const MAX_BYTES = 64 * 1024;

async function readBlob(
  git: Git,
  directory: string,
  object: string,
): Promise<Result<string | null>> {
  const size = await git.text({ directory, argv: ['cat-file', '-s', object] });
  if (!size.ok) return size;
  if (Number(size.value) > MAX_BYTES) return success(null);
  const blob = await git.text({ directory, argv: ['cat-file', 'blob', object] });
  if (!blob.ok) return blob;
  return success(blob.value.trim() === '' ? null : blob.value);
}
