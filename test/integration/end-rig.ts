import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const GONE_LIMIT_MS = 10_000;

/**
 * Ends what one rig started and nothing else: its daemon, the server on its own socket, and every
 * process that carries the rig's home in its environment.
 */
export async function endRig(rig: {
  readonly root: string;
  readonly home: string;
  readonly socket: string;
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}): Promise<void> {
  if (existsSync(join(rig.home, 'run'))) await rig.stop();
  if (existsSync(rig.socket)) {
    spawnSync('tmux', ['-N', '-S', rig.socket, 'kill-server'], { env: rig.env });
  }
  const deadline = performance.now() + GONE_LIMIT_MS;
  for (let left = marked(rig.home); left.length > 0; left = marked(rig.home)) {
    if (performance.now() > deadline) throw new Error(`would not end: ${left.join(' ')}`);
    for (const pid of left) endProcess(pid);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // A launcher that has just lost its agent may still be writing down how it ended.
  while (!isRemoved(rig.root)) {
    if (performance.now() > deadline) throw new Error(`cannot be removed: ${rig.root}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isRemoved(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** Live processes with `ORANGE_HOME=<home>` in their environment. */
export function marked(home: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => isMarked(pid, home));
}

function isMarked(pid: number, home: string): boolean {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`;
    return environment.includes(`\0ORANGE_HOME=${home}\0`);
  } catch {
    return false;
  }
}

/** Kills a process, unless it is gone already. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
}
