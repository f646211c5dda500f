import type { Diagnostic } from '../domain/diagnostic.js';
import type { Snapshot } from '../domain/task-view.js';
import { lastGoodProjects } from '../record/last-good-projects.js';
import type { CommandContext } from './command-context.js';

type Home = Pick<CommandContext, 'files' | 'paths'>;

/** What is wrong with projects.json itself; while there is something, nobody knows who is registered. */
export function projectsFileProblems(
  { paths }: Pick<CommandContext, 'paths'>,
  { problems }: Snapshot,
): readonly Diagnostic[] {
  return problems.filter(
    ({ file, severity }) => file === paths.projectsFile && severity === 'error',
  );
}

/** Whether a project that is missing may be so only because projects.json is damaged, or gone. */
export function areProjectsInDoubt(home: Home, snapshot: Snapshot): boolean {
  if (projectsFileProblems(home, snapshot).length > 0) return true;
  const { files, paths } = home;
  const state = files.stat(paths.projectsFile);
  const isGone = state.ok && state.value.kind === 'absent';
  return isGone && (lastGoodProjects(files, paths).read() ?? []).length > 0;
}
