import { readdirSync, readFileSync } from 'node:fs';

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

export function rssBytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

export function openFiles(pid) {
  return readdirSync(`/proc/${pid}/fd`).length;
}

// Threads come and go.
function readOrNull(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
