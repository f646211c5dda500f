import type { Failure } from './failure.js';

/** What a file itself is, as against what the machine cannot do just now. */
const FILE_FACTS: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENXIO',
  'ENOTREG',
  'EFBIG',
  'EILSEQ',
  'EEXIST',
]);

/** Whether the machine is at fault (a full or failing disk, a limit), so that a later try may succeed. */
export function isMachineFault(failure: Failure): boolean {
  return failure.kind === 'io-failed' && !FILE_FACTS.has(failure.code);
}
