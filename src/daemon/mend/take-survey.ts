import { diagnose } from '../../doctor/diagnose.js';
import { findLostRecords } from '../../doctor/lost-records.js';
import type { Survey, SurveyedPool, SurveyedTerminal } from '../../doctor/survey.js';
import type { Finding } from '../../domain/finding.js';
import { isTaskId, TASK_ID_LENGTH } from '../../domain/task-id.js';
import type { ProcessTable } from '../../adapters/process-table.js';
import type { Clock, Files, LaunchRecords } from '../../ports.js';
import { diagnoseUnreadable } from '../../record/diagnose-unreadable.js';
import type { PoolFileStore } from '../../record/pool-file.js';
import { lastGoodProjects } from '../../record/last-good-projects.js';
import type { Depth } from './depth.js';
import { findLeftovers, findOpenPaths } from './survey-litter.js';
import { surveyRecord, type RecordParts } from './survey-record.js';
import { surveyWorktrees, type WorktreeParts } from './survey-worktrees.js';

export type SurveyParts = RecordParts &
  WorktreeParts & {
    readonly isDaemon: boolean;
    /** Whether there is one, be it this process or one that does not answer. */
    readonly hasDaemon: boolean;
    readonly clock: Clock;
    readonly launches: Pick<LaunchRecords, 'read'>;
    readonly poolFile: PoolFileStore;
    readonly processes: Pick<ProcessTable, 'findLaunched'>;
    lookAtTerminal(): Promise<SurveyedTerminal>;
  };

/** A look around, and what it showed. */
export type Round = { readonly survey: Survey; readonly findings: readonly Finding[] };

export async function lookAround(parts: SurveyParts, depth: Depth): Promise<Round> {
  const survey = await takeSurvey(parts, depth);
  return { survey, findings: diagnose(survey) };
}

/** Looks at everything once. Changes nothing. */
async function takeSurvey(parts: SurveyParts, depth: Depth): Promise<Survey> {
  const { paths, files, world, isDaemon } = parts;
  // A process comes after its window and before its task's record, so it is looked for first: what
  // is only just being started then never looks like something left over.
  const launched = await parts.processes.findLaunched(paths.home);
  const processes = launched.ok ? launched.value : null;
  const terminal = await parts.lookAtTerminal();
  const worktrees = await surveyWorktrees(parts, depth);
  const record = await surveyRecord(parts, depth);
  const launchFolders = new Set(listOrNone(files, paths.runDir).filter(isLaunchFolder));
  const seen = { processes, terminal, launchFolders };
  return {
    home: paths.home,
    isDaemon,
    world,
    ...seen,
    lostRecords: findLostRecords(terminal, processes, (taskId, window) =>
      hasRecord(parts, taskId, window),
    ),
    worktrees,
    poolFile: paths.poolFile,
    pool: surveyPool(parts),
    projectsFile: paths.projectsFile,
    isProjectsFileGone: isAbsent(files, paths.projectsFile),
    hasLastGoodProjects: lastGoodProjects(files, paths).read() !== null,
    problems: world.problems,
    ...record,
    leftovers: findLeftovers(parts, seen, depth),
    openPaths: depth === 'whole' ? findOpenPaths(parts) : [],
  };
}

// Much else lies in run/; only what has the form of an id can have been a task's.
function isLaunchFolder(name: string): boolean {
  return isTaskId(name) && name.length === TASK_ID_LENGTH;
}

function surveyPool({ files, paths, poolFile }: SurveyParts): SurveyedPool {
  if (isAbsent(files, paths.poolFile)) return { kind: 'absent' };
  const read = poolFile.read();
  if (read.ok) return { kind: 'read', pool: read.value };
  return { kind: 'damaged', diagnostics: diagnoseUnreadable(read.failure, paths.poolFile) };
}

function isAbsent(files: Files, path: string): boolean {
  const state = files.stat(path);
  return state.ok && state.value.kind === 'absent';
}

function hasRecord({ launches }: SurveyParts, taskId: string, window: string): boolean {
  const read = launches.read(taskId, window);
  return !read.ok || read.value !== null;
}

function listOrNone(files: Files, directory: string): readonly string[] {
  const listed = files.list(directory);
  return listed.ok ? listed.value : [];
}
