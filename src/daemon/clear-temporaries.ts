import { join } from 'node:path';
import { isTerminal } from '../domain/status.js';
import { isTemporaryName } from '../adapters/disk-steps.js';
import type { Files } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { findTaskProject } from './find-task-project.js';
import type { LiveWorld } from './live-world.js';

/**
 * Removes what a daemon that was killed in the middle of a write has left: only the owner of the
 * home writes such files, and it is not writing yet. A finished task is looked at when something
 * was still owed for it.
 */
export function clearTemporaries(
  parts: { readonly files: Files; readonly paths: Paths; readonly world: LiveWorld },
  owedFor: readonly string[],
): void {
  const { files, paths, world } = parts;
  files.removeTree(paths.removedDir);
  removeDrafts(parts);
  for (const directory of [paths.ownEditsDir, paths.copyOriginsDir])
    removeMemories(parts, directory);
  const isConcerned = new Set(owedFor);
  const tasks = [...world.tasks.values()].filter(
    ({ fields }) => !isTerminal(fields.status) || isConcerned.has(fields.id),
  );
  const directories = [
    paths.home,
    paths.workspacesDir,
    paths.runDir,
    paths.outboxDir,
    paths.ownEditsDir,
    paths.copyOriginsDir,
    ...tasks.flatMap(({ fields: { project, id, workspace } }) => [
      paths.taskDir(project, id),
      paths.transcriptsDir(project, id),
      paths.launchDir(id),
      ...(workspace === null ? [] : [paths.workspace(workspace)]),
    ]),
  ];
  for (const directory of directories) {
    const names = files.list(directory);
    const left = names.ok ? names.value.filter(isTemporaryName) : [];
    for (const name of left) files.remove(join(directory, name));
  }
}

/** Folders of tasks that were being made, and that nobody was told of. */
function removeDrafts({ files, paths }: { readonly files: Files; readonly paths: Paths }): void {
  const names = files.list(paths.tasksDir);
  const drafts = names.ok ? names.value.filter((name) => /^\..+\.new$/.test(name)) : [];
  for (const name of drafts) files.removeTree(join(paths.tasksDir, name));
}

/** What is remembered of tasks that are over, or that are no more. */
function removeMemories(
  parts: { readonly files: Files; readonly paths: Paths; readonly world: LiveWorld },
  directory: string,
): void {
  const { files, world } = parts;
  const names = files.list(directory);
  for (const name of names.ok ? names.value : []) {
    const id = name.replace(/\.(json|md)$/, '');
    const status = world.tasks.get(id)?.fields.status;
    const isNeeded =
      status === undefined ? findTaskProject(parts, id).kind !== 'absent' : !isTerminal(status);
    if (!isNeeded) files.remove(join(directory, name));
  }
}
