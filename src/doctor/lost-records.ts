import type { Finding } from '../domain/finding.js';
import { makeFinding } from './make-finding.js';
import type { LaunchedProcess, LostRecord, Survey, SurveyedTerminal } from './survey.js';

/** Live agents without a launch record; `hasRecord` tells of one window of one task. */
export function findLostRecords(
  terminal: SurveyedTerminal,
  processes: readonly LaunchedProcess[] | null,
  hasRecord: (taskId: string, window: string) => boolean,
): readonly LostRecord[] {
  if (terminal.kind !== 'listed' || processes === null) return [];
  return terminal.sessions.flatMap(({ session, taskId, launches }) =>
    launches.flatMap(({ window, launchId }): readonly LostRecord[] => {
      if (taskId === null || hasRecord(taskId, window)) return [];
      const recorder = findRecorder(processes, launchId);
      return recorder === null ? [] : [{ taskId, session, window, launchId, recorder }];
    }),
  );
}

/** The launcher that waits for the agent of a launch; null where that is not one and known. */
export function findRecorder(
  processes: readonly LaunchedProcess[],
  launchId: string,
): number | null {
  const members = processes.filter((process) => process.launchId === launchId);
  const recorders = new Set(members.map(({ recorder }) => recorder));
  const [recorder, ...others] = [...recorders].filter((each) => typeof each === 'number');
  return recorder === undefined || others.length > 0 ? null : recorder;
}

export function describeLostRecords(survey: Survey): readonly Finding[] {
  return survey.lostRecords
    .filter(({ taskId }) => survey.world.tasks.get(taskId)?.activity === null)
    .map(({ taskId, session, window, recorder }) =>
      makeFinding({
        class: 'launch-record',
        message: `the agent in ${session}:${window} lives, but its launch record is gone`,
        remedy: 'The daemon takes the agent over when it starts: orange daemon start',
        fixable: 'safe',
        task_id: taskId,
        session,
        pids: [recorder],
      }),
    );
}
