import { rmSync } from 'node:fs';
import { awaitState } from '../chaos/wait.mjs';

/** Removes a throw-away folder. A launcher that has just lost its agent may still be writing there. */
export async function removeRoot(root, deadlineMs) {
  await awaitState(() => isRemoved(root), deadlineMs);
}

function isRemoved(root) {
  try {
    rmSync(root, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
