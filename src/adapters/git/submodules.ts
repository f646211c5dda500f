import type { Result } from '../../domain/result.js';
import { DONE, success } from '../../domain/result.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inOrder } from './git-context.js';
import { resolveCommit } from './refs.js';
import type { Submodule } from './uncommitted-work.js';
import { isSubmoduleTouched, listSubmodules } from './uncommitted-work.js';

/** Brings every submodule that has a checkout to the commit its parent names, clean. */
export async function resetSubmodules(
  context: GitContext,
  directory: string,
): Promise<Result<void>> {
  const submodules = await listSubmodules(context, directory);
  if (!submodules.ok) return submodules;
  for (const submodule of submodules.value) {
    const isTouched = await isSubmoduleTouched(context, submodule);
    if (!isTouched.ok) return isTouched;
    const reset = isTouched.value ? await resetSubmodule(context, submodule) : DONE;
    if (!reset.ok) return reset;
  }
  return DONE;
}

function resetSubmodule(context: GitContext, submodule: Submodule): Promise<Result<void>> {
  const { directory, recorded } = submodule;
  const perform = (argv: readonly string[]) =>
    context.git.perform({ directory, argv, timeoutMs: CHECKOUT_TIMEOUT_MS });
  return inOrder(
    () => fetchMissing(context, submodule),
    () => perform(['checkout', '--quiet', '--force', '--detach', recorded, '--']),
    () => perform(['clean', '-ffdq']),
    () => resetSubmodules(context, directory),
  );
}

/** Asks the submodule's own origin for the commit if it is not there; the checkout tells if that failed. */
async function fetchMissing(context: GitContext, submodule: Submodule): Promise<Result<void>> {
  const { directory, recorded } = submodule;
  const known = await resolveCommit(context.git, directory, recorded);
  if (!known.ok || known.value !== null) return known.ok ? DONE : known;
  const fetched = await context.git.perform({
    directory,
    argv: [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--upload-pack=git-upload-pack',
      '--',
      'origin',
      recorded,
    ],
    timeoutMs: context.fetchTimeoutMs,
  });
  if (!fetched.ok) context.log.write({ event: 'git.fetch-failed', repository: directory });
  return DONE;
}

/** Removes what git ignores in every submodule that has a checkout. */
export async function clearIgnored(context: GitContext, directory: string): Promise<Result<void>> {
  const submodules = await listSubmodules(context, directory);
  if (!submodules.ok) return submodules;
  for (const submodule of submodules.value) {
    const cleared = await inOrder(
      () =>
        context.git.perform({
          directory: submodule.directory,
          argv: ['clean', '-ffdxq'],
          timeoutMs: CHECKOUT_TIMEOUT_MS,
        }),
      () => clearIgnored(context, submodule.directory),
    );
    if (!cleared.ok) return cleared;
  }
  return DONE;
}

/** The first thing that git ignores in a checkout or a submodule of it; null when there is none. */
export async function findIgnored(
  context: GitContext,
  directory: string,
): Promise<Result<string | null>> {
  const flags = ['--others', '--ignored', '--exclude-standard', '--directory'];
  const listed = await context.git.list({ directory, argv: ['ls-files', '-z', ...flags] });
  if (!listed.ok) return listed;
  const [first] = listed.value;
  if (first !== undefined) return success(first);
  const submodules = await listSubmodules(context, directory);
  if (!submodules.ok) return submodules;
  for (const submodule of submodules.value) {
    const inside = await findIgnored(context, submodule.directory);
    if (!inside.ok) return inside;
    if (inside.value !== null) return success(`${submodule.path}/${inside.value}`);
  }
  return success(null);
}
