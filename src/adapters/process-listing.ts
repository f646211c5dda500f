import { kill, pid as ownPid } from 'node:process';
import { success, type Result } from '../domain/result.js';
import type {
  LaunchedProcess,
  Marker,
  ProcessMark,
  ProcessTable,
  RunningProgram,
} from './process-marks.js';
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
      if (!listing.ok) return listing;
      const launched = listing.value.flatMap((line): readonly LaunchedProcess[] => {
        const valueOf = (name: string): string | undefined =>
          new RegExp(` ${name}=(\\S+)`).exec(line)?.[1];
        const [taskId, launchId] = [valueOf('ORANGE_TASK_ID'), valueOf('ORANGE_LAUNCH_ID')];
        const isHere = `${line} `.includes(` ORANGE_HOME=${home} `);
        if (!isHere || taskId === undefined || launchId === undefined) return [];
        const workspace = valueOf('ORANGE_WORKSPACE') ?? null;
        const pid = Number.parseInt(line, 10);
        return [
          { pid, start: null, recorder: 'unknown', hasTerminal: null, taskId, launchId, workspace },
        ];
      });
      return success(launched);
    },
    findSession: () => success([]),
    findTree: async ({ markers, known }) => {
      const living = known.filter(({ pid }) => sendSignal(pid, 0));
      const marked = await listMarked(markers);
      if (!marked.ok) return marked;
      const found = [...living, ...marked.value];
      return success([...new Map(found.map((mark) => [mark.pid, mark])).values()]);
    },
    findInside: () => success([]),
    findRunning: async (argv) => listPrograms((program) => program.command === argv.join(' ')),
    findChildren: async ({ pid }) => listPrograms((program) => program.parent === pid),
    signal: (mark, signal) => {
      sendSignal(mark.pid, signal);
    },
    openFiles: () => null,
  };
}

async function listMarked(markers: readonly Marker[]): Promise<Result<readonly ProcessMark[]>> {
  if (markers.length === 0) return success([]);
  const listing = await listWithEnvironments();
  if (!listing.ok) return listing;
  const marked = listing.value
    .filter((line) => markers.some(({ name, value }) => `${line} `.includes(` ${name}=${value} `)))
    .map((line) => ({ pid: Number.parseInt(line, 10), start: null }));
  return success(marked);
}

/** The lines of `ps` about living agents: pid, state, command, environment. */
async function listWithEnvironments(): Promise<Result<readonly string[]>> {
  const listing = await runCommand({
    program: 'ps',
    argv: ['axeww', '-o', 'pid=,stat=,command='],
    timeoutMs: 5000,
  });
  if (!listing.ok) return listing;
  const lines = listing.value.stdout
    .split('\n')
    .filter((line) => !/^\s*\d+\s+Z/.test(line) && line.includes(' ORANGE_LAUNCH_ID='))
    .filter((line) => Number.parseInt(line, 10) !== ownPid);
  return success(lines);
}

type Program = RunningProgram & { readonly command: string };

async function listPrograms(
  isMeant: (program: Program) => boolean,
): Promise<Result<readonly RunningProgram[]>> {
  const listing = await runCommand({
    program: 'ps',
    argv: ['axww', '-o', 'pid=,ppid=,stat=,command='],
    timeoutMs: 5000,
  });
  if (!listing.ok) return listing;
  const programs = listing.value.stdout.split('\n').flatMap((line): readonly Program[] => {
    const [, pid, parent, state, command] = PROGRAM.exec(line) ?? [];
    if (state === undefined || command === undefined || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), start: null, parent: Number(parent), command }];
  });
  return success(
    programs.filter(isMeant).map(({ pid, start, parent }) => ({ pid, start, parent })),
  );
}

const PROGRAM = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*?)\s*$/;

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
