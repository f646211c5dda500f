import { kill, pid as ownPid } from 'node:process';
import type { LaunchedProcess, Marker, ProcessMark, ProcessTable } from './process-marks.js';
import { runCommand } from './run-command.js';

/** Makes do with `ps` and signal 0, where the kernel shows no table. */
export function tableWithoutProc(): ProcessTable {
  return {
    bootId: null,
    isAlive: (mark) => sendSignal(mark.pid, 0),
    markOf: (pid) => (sendSignal(pid, 0) ? { pid, start: null } : null),
    findMarked: (marker) => listMarked([marker]),
    findLaunched: async (home) => {
      const listing = await listWithEnvironments();
      return listing.flatMap((line): readonly LaunchedProcess[] => {
        const valueOf = (name: string): string | undefined =>
          new RegExp(` ${name}=(\\S+)`).exec(line)?.[1];
        const [taskId, launchId] = [valueOf('ORANGE_TASK_ID'), valueOf('ORANGE_LAUNCH_ID')];
        const isHere = `${line} `.includes(` ORANGE_HOME=${home} `);
        if (!isHere || taskId === undefined || launchId === undefined) return [];
        const workspace = valueOf('ORANGE_WORKSPACE') ?? null;
        const pid = Number.parseInt(line, 10);
        return [{ pid, start: null, parent: 0, taskId, launchId, workspace }];
      });
    },
    findSession: () => [],
    findTree: async ({ markers, known }) => {
      const living = known.filter(({ pid }) => sendSignal(pid, 0));
      const found = [...living, ...(await listMarked(markers))];
      return [...new Map(found.map((mark) => [mark.pid, mark])).values()];
    },
    findInside: () => [],
    signal: (mark, signal) => {
      sendSignal(mark.pid, signal);
    },
    openFiles: () => null,
  };
}

async function listMarked(markers: readonly Marker[]): Promise<readonly ProcessMark[]> {
  if (markers.length === 0) return [];
  const listing = await listWithEnvironments();
  return listing
    .filter((line) => markers.some(({ name, value }) => `${line} `.includes(` ${name}=${value} `)))
    .map((line) => ({ pid: Number.parseInt(line, 10), start: null }));
}

/** The lines of `ps` about living agents: pid, state, command, environment. */
async function listWithEnvironments(): Promise<readonly string[]> {
  const listing = await runCommand({
    program: 'ps',
    argv: ['axeww', '-o', 'pid=,stat=,command='],
    timeoutMs: 5000,
  });
  if (!listing.ok) return [];
  return listing.value.stdout
    .split('\n')
    .filter((line) => !/^\s*\d+\s+Z/.test(line) && line.includes(' ORANGE_LAUNCH_ID='))
    .filter((line) => Number.parseInt(line, 10) !== ownPid);
}

/** Gives false when there is no such process; one of another user is there, but out of reach. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  // A pid of 0 or less would mean a whole group.
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  try {
    kill(pid, signal);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
