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

/** What runs out, and is there again as soon as others let go of it. */
const LIMITS: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOSPC',
  'EDQUOT',
  'EAGAIN',
  'ENOMEM',
]);

/** Whether the machine had too little of something. */
export function isMachineLimit(failure: Failure): boolean {
  return failure.kind === 'io-failed' && LIMITS.has(failure.code);
}

/** Whether something could not be done for no fault of its own: the machine's, or the terminals'. */
export function isHindered(failure: Failure): boolean {
  if (failure.kind === 'terminals-unreachable' || isMachineFault(failure)) return true;
  if (failure.kind === 'command-timed-out') return failure.program === 'tmux';
  return failure.kind === 'io-failed' && failure.operation === 'connect';
}
