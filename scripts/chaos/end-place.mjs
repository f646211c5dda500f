import { rmSync } from 'node:fs';
import { endProcess, processesOf } from './processes.mjs';
import { run } from './run.mjs';
import { pause } from './wait.mjs';

const LIMIT_MS = 20_000;

/** Ends every process that was started for a place, by its pid, and removes the folder. */
export async function endPlace({ root, home, foreign, isSmall }, { isKept = false } = {}) {
  await foreign.end();
  const start = performance.now();
  for (let left = processesOf(root); left.length > 0; left = processesOf(root)) {
    if (performance.now() - start > LIMIT_MS) {
      throw new Error(
        `would not end: ${left.map(({ pid, command }) => `${pid} ${command}`).join('\n')}`,
      );
    }
    for (const { pid } of left) {
      endProcess(pid);
      endProcess(pid, 'SIGCONT');
    }
    await pause(20);
  }
  if (isKept) return;
  if (isSmall) await run('umount', [home]);
  while (!isRemoved(root)) {
    if (performance.now() - start > LIMIT_MS) throw new Error(`cannot be removed: ${root}`);
    await pause(20);
    // Whatever has just ended may have kept the disk busy.
    if (isSmall) await run('umount', [home]);
  }
}

function isRemoved(path) {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
