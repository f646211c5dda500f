import { readdirSync, readFileSync } from 'node:fs';
import { pause } from '../chaos/wait.mjs';

const TICK_MS = 10;

/** Milliseconds of processor time of a process, its threads, and the children it has waited for. */
export function cpuMs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const children = (Number(fields[13]) + Number(fields[14])) * TICK_MS;
  return threadsMs(pid) + children;
}

// Counted in nanoseconds, where the kernel's usual figure has steps of 10 ms.
function threadsMs(pid) {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const text = readOrNull(`/proc/${pid}/task/${thread}/schedstat`);
    sum += Number(text?.split(' ')[0] ?? 0) / 1e6;
  }
  return sum;
}

/** The share of a core that these processes take together in the time to come. */
export async function cpuShare(pids, forMs) {
  const used = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const [before, start] = [used(), performance.now()];
  await pause(forMs);
  return (used() - before) / (performance.now() - start);
}

/** The control-mode clients of tmux that a process has started and that live. */
export function tmuxClientsOf(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    (readOrNull(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean),
  );
  return children.map(Number).filter((child) => {
    const [program, ...args] = (readOrNull(`/proc/${child}/cmdline`) ?? '').split('\0');
    return program.endsWith('tmux') && args.includes('-C');
  });
}

/** How many bytes a process has written so far, to whatever it was. */
export function writtenBytes(pid) {
  return Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1]);
}

export function rssBytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

export function openFiles(pid) {
  return readdirSync(`/proc/${pid}/fd`).length;
}

// Threads and processes come and go.
function readOrNull(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
