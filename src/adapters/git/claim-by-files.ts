import { join } from 'node:path';
import type { Files } from '../../ports.js';
import { isNameFree, seeHead } from './ref-files.js';
import { replaceLocked } from './replace-locked.js';

const MAX_CONFIG_BYTES = 1024 * 1024;
/** Settings under which git keeps refs in another way than in plain files of the caller's. */
const SPECIAL_STORE = /sharedrepository|refstorage|include/i;
/** What operations leave for the next commit, which git takes away when it goes to a branch. */
const LEFT_BEHIND: ReadonlySet<string> = new Set([
  'AUTO_MERGE',
  'CHERRY_PICK_HEAD',
  'MERGE_HEAD',
  'MERGE_MODE',
  'MERGE_MSG',
  'MERGE_RR',
  'REVERT_HEAD',
  'SQUASH_MSG',
]);

/**
 * Makes a new branch and puts a detached worktree on it, in git's own files and under git's own
 * locks: the start of a process costs more than all of that. False when only git itself can do it;
 * the branch may be there then, and nothing else has changed.
 */
export function claimByFiles(
  files: Files,
  claim: {
    readonly common: string;
    readonly gitDirectory: string;
    readonly ref: string;
    readonly commit: string;
  },
): boolean {
  const { common, gitDirectory, ref, commit } = claim;
  const config = files.readText(join(common, 'config'), MAX_CONFIG_BYTES, 'lossy');
  if (!config.ok || SPECIAL_STORE.test(config.value.text)) return false;
  const names = files.list(gitDirectory);
  if (!names.ok || names.value.some((name) => LEFT_BEHIND.has(name))) return false;
  const isNew = (): boolean => isNameFree(files, common, ref);
  const isDetached = (): boolean => {
    const head = seeHead(files, gitDirectory);
    return head?.kind === 'detached' && head.commit === commit;
  };
  return (
    isNew() &&
    isDetached() &&
    replaceLocked(join(common, ref), `${commit}\n`, isNew) &&
    replaceLocked(join(gitDirectory, 'HEAD'), `ref: ${ref}\n`, isDetached)
  );
}
