import { closeSync, openSync } from 'node:fs';
import { errnoOf } from './disk-steps.js';

// One for the whole process, as the limit is.
let spare: number | null = null;
let isWanted = false;

/** Holds one descriptor back, so that a process that has no other left can still look around. */
export function holdSpareDescriptor(): void {
  isWanted = true;
  takeSpare();
}

/** Looks at something that needs one descriptor for a moment; the spare one where there is no other. */
export function lookSparingly<T>(look: () => T): T {
  if (isWanted && spare === null) takeSpare();
  try {
    return look();
  } catch (error) {
    if (!hasRunOut(error) || spare === null) throw error;
    closeSync(spare);
    spare = null;
    try {
      return look();
    } finally {
      takeSpare();
    }
  }
}

function takeSpare(): void {
  if (spare !== null) return;
  try {
    spare = openSync('/dev/null', 'r');
  } catch (error) {
    // Somebody was quicker: it is tried again before the next look.
    if (errnoOf(error) === null) throw error;
  }
}

/** Whether it was the system that had no descriptor to give. */
function hasRunOut(error: unknown): boolean {
  return errnoOf(error) === 'EMFILE' && error instanceof Error && 'syscall' in error;
}
