import { join } from 'node:path';
import type { Diagnostic } from '../domain/diagnostic.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { isProjectName } from '../domain/task-id.js';
import type { Files } from '../ports.js';
import { diagnoseForeignHistory, ownerOf } from '../record/fields-from-history.js';
import type { Paths } from '../record/paths.js';
import type { LoadedTask } from '../record/task-store.js';

type Parts = { readonly files: Pick<Files, 'stat'>; readonly paths: Pick<Paths, 'taskDir'> };

/**
 * What shows that a folder is a copy of another task's; nothing if it is not. A copy is no task: it
 * owns neither the worktree nor the session that its file and its history name.
 */
export function diagnoseCopy(
  parts: Parts,
  loaded: LoadedTask,
  events: readonly HistoryEvent[],
): readonly Diagnostic[] {
  const { project, id } = loaded;
  const misnamed = isMisnamed(loaded) ? loaded.diagnostics : [];
  const owner = ownerOf(events);
  if (owner.id === null) return misnamed;
  if (owner.id === id && !isOfAnotherProject(parts, { project, id }, owner.project)) return [];
  const name = `${owner.project ?? project}/${owner.id}`;
  return [...misnamed, diagnoseForeignHistory(name, join(loaded.dir, 'history.jsonl'))];
}

/** Whether a file has other names than its folder. */
export function isMisnamed({ kind, diagnostics }: LoadedTask): boolean {
  return kind === 'unreadable' && diagnostics.some(({ code }) => NAME_CODES.has(code));
}

const NAME_CODES: ReadonlySet<string> = new Set(['ORA031', 'ORA036']);

/** A folder that was moved to another project is that task's; one that was copied is not. */
function isOfAnotherProject(
  { files, paths }: Parts,
  { project, id }: { readonly project: string; readonly id: string },
  owner: string | null,
): boolean {
  if (owner === null || owner === project || !isProjectName(owner)) return false;
  const state = files.stat(paths.taskDir(owner, id));
  return !state.ok || state.value.kind !== 'absent';
}
