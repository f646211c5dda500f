import { diagnose } from '../../doctor/diagnose.js';
import type { Survey, SurveyedPool } from '../../doctor/survey.js';
import type { Finding } from '../../domain/finding.js';
import { isTaskId } from '../../domain/task-id.js';
import type { ProcessTable } from '../../adapters/process-table.js';
import type { Files, Sessions } from '../../ports.js';
import { diagnoseUnreadable } from '../../record/diagnose-unreadable.js';
import type { Paths } from '../../record/paths.js';
import type { PoolFileStore } from '../../record/pool-file.js';
import type { LiveWorld } from '../live-world.js';

export type SurveyParts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly poolFile: PoolFileStore;
  readonly sessions: Pick<Sessions, 'list'>;
  readonly processes: Pick<ProcessTable, 'findLaunched'>;
};

/** A look around, and what it showed. */
export type Round = { readonly survey: Survey; readonly findings: readonly Finding[] };

export async function lookAround(parts: SurveyParts): Promise<Round> {
  const survey = await takeSurvey(parts);
  return { survey, findings: diagnose(survey) };
}

/** Looks at everything once. Changes nothing. */
async function takeSurvey(parts: SurveyParts): Promise<Survey> {
  const { paths, files, world } = parts;
  // A process comes after its window and before its task's record, so it is looked for first: what
  // is only just being started then never looks like something left over.
  const processes = await parts.processes.findLaunched(paths.home);
  const sessions = await parts.sessions.list();
  return {
    home: paths.home,
    world,
    sessions: sessions.ok ? sessions.value : null,
    processes,
    launchFolders: new Set(listOrNone(files, paths.runDir).filter(isTaskId)),
    poolFile: paths.poolFile,
    pool: surveyPool(parts),
    worktrees: new Set(listOrNone(files, paths.workspacesDir)),
  };
}

function surveyPool({ files, paths, poolFile }: SurveyParts): SurveyedPool {
  const state = files.stat(paths.poolFile);
  if (state.ok && state.value.kind === 'absent') return { kind: 'absent' };
  const read = poolFile.read();
  if (read.ok) return { kind: 'read', pool: read.value };
  return { kind: 'damaged', diagnostics: diagnoseUnreadable(read.failure, paths.poolFile) };
}

function listOrNone(files: Files, directory: string): readonly string[] {
  const listed = files.list(directory);
  return listed.ok ? listed.value : [];
}
