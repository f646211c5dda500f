import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { awaitState } from '../wait.mjs';

const READERS = 20;
/** So many answers that those of one reader are several megabytes. */
const WANTED_BYTES = 5 * 1024 * 1024;
const MOST_CALLS = 3000;
/** Much more than the daemon's buffers for all of them, and much less than what they have asked for. */
const MEMORY_KB = 48 * 1024;
const LOOK_MS = 250;

/**
 * Clients that ask for megabytes and read nothing of them. The daemon must neither keep the answers in
 * memory nor the clients for ever. Whether all of them were heard.
 */
export async function readNothing(course, during) {
  const { pid, client } = course.daemon;
  const { result } = (await client?.call({ method: 'snapshot' })) ?? {};
  if (result === undefined) return false;
  const calls = Math.ceil(WANTED_BYTES / JSON.stringify(result).length);
  const readers = Array.from({ length: READERS }, () =>
    openReader(course.place.socket, Math.min(MOST_CALLS, calls)),
  );
  const before = memoryOf(pid);
  let most = before;
  try {
    await during();
    await awaitState(
      () => {
        most = Math.max(most, memoryOf(pid));
        for (const reader of readers) reader.poke();
        return readers.every(({ isDropped }) => isDropped) || !course.daemon.isRunning;
      },
      course.dropMs,
      LOOK_MS,
    );
    if (!course.daemon.isRunning) return false;
    if (most - before > MEMORY_KB) {
      course.complain(`F28 the daemon grew by ${most - before} kB for clients that read nothing`);
    }
    const kept = readers.filter(({ isDropped }) => !isDropped).length;
    if (kept > 0) {
      course.complain(`F28 ${kept} clients that read nothing are there after ${course.dropMs} ms`);
    }
    return readers.every(({ wasConnected }) => wasConnected);
  } finally {
    for (const { socket } of readers) socket.destroy();
  }
}

function openReader(path, calls) {
  const socket = createConnection({ path });
  const reader = {
    socket,
    wasConnected: false,
    isDropped: false,
    // Who does not read is not told that the other side has gone; who writes is.
    poke: () => socket.writable && socket.write('\n'),
  };
  socket.on('connect', () => {
    reader.wasConnected = true;
  });
  socket.on('error', () => {
    reader.isDropped = true;
  });
  socket.pause();
  socket.write('{"id":1,"call":{"method":"subscribe"}}\n');
  for (let id = 2; id < calls; id += 1) {
    socket.write(`{"id":${id},"call":{"method":"snapshot"}}\n`);
  }
  return reader;
}

function memoryOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
