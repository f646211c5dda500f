import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
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
