import { launchDirectory, writeStart } from '../../adapters/launch-files.js';
import type { ProcessTable } from '../../adapters/process-table.js';
import { findLostRecords } from '../../doctor/lost-records.js';
import type { LostRecord } from '../../doctor/survey.js';
import { failed, type Result } from '../../domain/result.js';
import type { Files, LaunchRecords, Log, Sessions } from '../../ports.js';
import type { Paths } from '../../record/paths.js';
import { lookAtTerminal } from './look-at-terminal.js';

type Parts = {
  readonly files: Files;
  readonly paths: Paths;
  readonly log: Log;
  readonly launches: Pick<LaunchRecords, 'read'>;
  readonly sessions: Pick<Sessions, 'list'>;
  readonly processes: ProcessTable;
};

/**
 * Gives agents that live in their windows the launch records back that somebody deleted, so that
 * they are taken over and not started a second time. The process table is read only if need be.
 */
export async function adoptLaunches(parts: Parts): Promise<void> {
  const terminal = await lookAtTerminal(parts.sessions);
  if (terminal.kind !== 'listed') return;
  const hasRecord = (taskId: string, window: string): boolean => {
    const read = parts.launches.read(taskId, window);
    return !read.ok || read.value !== null;
  };
  const isComplete = terminal.sessions.every(
    ({ taskId, launches }) =>
      taskId === null || launches.every(({ window }) => hasRecord(taskId, window)),
  );
  if (isComplete) return;
  const launched = await parts.processes.findLaunched(parts.paths.home);
  if (!launched.ok) return;
  for (const lost of findLostRecords(terminal, launched.value, hasRecord)) {
    const adopted = restoreRecord(parts, lost);
    const { taskId: task, window, launchId: launch } = lost;
    const event = adopted.ok ? 'mend.launch-record' : 'mend.failed';
    parts.log.write({ event, level: 'warn', class: 'launch-record', task, window, launch });
  }
}

export function restoreRecord(
  { files, paths, processes }: Pick<Parts, 'files' | 'paths' | 'processes'>,
  lost: LostRecord,
): Result<void> {
  const directory = launchDirectory(paths.runDir, lost.taskId);
  const mark = processes.markOf(lost.recorder);
  if (directory === null || mark === null) {
    return failed({ kind: 'agent-not-running', taskId: lost.taskId, window: lost.window });
  }
  const { launchId, session, window } = lost;
  return writeStart(
    files,
    { directory, window },
    { launchId, session, mark, leader: null, server: null },
  );
}
