import { setTimeout as pause } from 'node:timers/promises';
import { cleanText } from '../domain/clean-text.js';
import type { AgentExit } from '../domain/session.js';
import { DONE, success, type Result } from '../domain/result.js';
import type { Files, LaunchRecord, LaunchRecords } from '../ports.js';
import {
  type EndRecord,
  type StartRecord,
  isEndingNoted,
  isPlainName,
  launchDirectory,
  listWindows,
  readEnd,
  readStart,
  startOrNull,
} from './launch-files.js';
import { judgeEnd, type EndJudgement } from './judge-end.js';
import type { ProcessMark, ProcessTable } from './process-table.js';
import { type ServerFate, createServerFate } from './server-fate.js';

/** Reads what the launchers wrote under `run/<task>/`. */
export function createLaunchRecords(parts: {
  readonly runDir: string;
  readonly files: Files;
  readonly processes: Liveness & Pick<ProcessTable, 'findMarked'>;
  /** What is known of servers that exit; nothing, where nobody asks them. */
  readonly fate?: Pick<ServerFate, 'isExiting'>;
}): LaunchRecords {
  const { runDir, files, processes } = parts;
  const judging = { processes, fate: parts.fate ?? createServerFate() };
  const read = (taskId: string, window: string): Result<LaunchRecord | null> => {
    const directory = launchDirectory(runDir, taskId);
    if (directory === null || !isPlainName(window)) return success(null);
    const started = readStart(files, directory, window);
    if (!started.ok || started.value === null) return started.ok ? success(null) : started;
    const { launchId, session, mark } = started.value;
    const facts = { taskId, window, session, launchId, pid: mark.pid };
    const life = readLife({ ...judging, files }, { directory, window }, started.value);
    return success({ ...facts, ...life });
  };
  return {
    read,
    list: (taskId) => {
      const windows = listWindows(files, runDir, taskId);
      if (!windows.ok) return windows;
      const records: LaunchRecord[] = [];
      for (const window of windows.value) {
        const record = read(taskId, window);
        if (!record.ok) return record;
        if (record.value !== null) records.push(record.value);
      }
      return success(records);
    },
    exitOf: (taskId, window, launchId) => {
      const directory = launchDirectory(runDir, taskId);
      if (directory === null || !isPlainName(window)) return null;
      const end = readEnd(files, directory, window, launchId);
      return end === null ? null : exitOf({ fromS: null }, end);
    },
    screen: async (taskId, window) => {
      const directory = launchDirectory(runDir, taskId);
      if (directory === null || !isPlainName(window)) return null;
      return awaitScreen({ files, processes }, { directory, window });
    },
    hasCompany: async (launchId) => {
      const marked = await processes.findMarked({ name: 'ORANGE_LAUNCH_ID', value: launchId });
      return marked.ok && marked.value.length > 1;
    },
    forget: (taskId) => {
      const directory = launchDirectory(runDir, taskId);
      return directory === null ? DONE : files.removeTree(directory);
    },
  };
}

type Life = Pick<LaunchRecord, 'isAlive' | 'exit' | 'isInDoubt'>;

/** What agents and servers are judged by. */
type Judging = {
  readonly processes: Liveness;
  readonly fate: Pick<ServerFate, 'isExiting'>;
};

function readLife(
  { files, ...judging }: Judging & { readonly files: Files },
  { directory, window }: { readonly directory: string; readonly window: string },
  started: StartRecord,
): Life {
  const { launchId, mark } = started;
  const early = readEnd(files, directory, window, launchId);
  if (early === null && judging.processes.isAlive(mark)) {
    return isServed(judging, started) ? LIVING : ABANDONED;
  }
  // The record is complete before its writer is gone, so it is looked for once more.
  const end = early ?? readEnd(files, directory, window, launchId);
  const isOrangesDoing = isEndingNoted(files, directory, window, launchId);
  const { interruptedBy, isInDoubt } = judge(judging, started, { end, isOrangesDoing });
  const exit = end === null ? UNKNOWN : exitOf(started, end);
  const judged = interruptedBy === null ? exit : { ...exit, interruptedBy };
  return { isAlive: false, exit: judged, isInDoubt };
}

function exitOf({ fromS }: Pick<StartRecord, 'fromS'>, end: EndRecord): AgentExit {
  const { status, signal, hasHungUp, toS, endedAt } = end;
  const exit = { status, signal, hasScreen: !hasHungUp, endedAt };
  if (fromS === null || toS === null) return exit;
  return { ...exit, ranMs: Math.round((toS - fromS) * 1000) };
}

const UNKNOWN: AgentExit = { status: null, signal: null, hasScreen: false };
const LIVING: Life = { isAlive: true, exit: null, isInDoubt: false };
// It outlives its server by ignoring the hang-up; nobody can see or reach it any more.
const ABANDONED: Life = {
  isAlive: true,
  exit: { ...UNKNOWN, interruptedBy: 'server' },
  isInDoubt: true,
};

type Liveness = Pick<ProcessTable, 'isAlive' | 'bootId'>;

/** Whether the server whose terminal the agent was given still has terminals, as far as anyone knows. */
function isServed({ processes, fate }: Judging, { server }: StartRecord): boolean {
  return server === null || (processes.isAlive(server) && !fate.isExiting(server));
}

function judge(
  judging: Judging,
  started: StartRecord,
  { end, isOrangesDoing }: { readonly end: EndRecord | null; readonly isOrangesDoing: boolean },
): EndJudgement {
  const { mark, server } = started;
  return judgeEnd({
    isOrangesDoing,
    isRecorded: end !== null,
    hasHungUp: end?.hasHungUp ?? false,
    signal: end?.signal ?? null,
    isSameBoot: isOfBoot(mark, judging.processes.bootId),
    isServerAlive: server === null ? null : isServed(judging, started),
  });
}

// Where there is no boot id, a start before this boot cannot be told from one after it.
function isOfBoot(mark: ProcessMark, bootId: string | null): boolean {
  return mark.start === null || bootId === null || mark.start.startsWith(`${bootId}/`);
}

/** The screen that a launcher leaves right after the end of its agent: whole when that is gone too. */
async function awaitScreen(
  { files, processes }: { readonly files: Files; readonly processes: Liveness },
  { directory, window }: { readonly directory: string; readonly window: string },
): Promise<readonly string[] | null> {
  const path = `${directory}/${window}.screen`;
  const deadline = performance.now() + SCREEN_LIMIT_MS;
  for (;;) {
    const started = startOrNull(files, directory, window);
    if (started === null || !processes.isAlive(started.mark)) {
      const file = files.readText(path, MAX_SCREEN_BYTES, 'lossy');
      return file.ok ? screenLines(file.value.text) : null;
    }
    if (performance.now() > deadline) return null;
    await pause(SCREEN_POLL_MS);
  }
}

/** Captured text as clean lines, without the empty ones at the end. */
export function screenLines(text: string): readonly string[] {
  const clean = cleanText(text).trimEnd();
  return clean === '' ? [] : clean.split('\n').map((line) => line.trimEnd());
}

// A server that hangs keeps the launcher waiting for the screen; the end of its agent is told all the same.
const SCREEN_LIMIT_MS = 4000;
const SCREEN_POLL_MS = 20;
const MAX_SCREEN_BYTES = 1024 * 1024;
