import { dirname, isAbsolute, join, posix, relative } from 'node:path';
import { failed, success, type Result } from '../domain/result.js';
import type { ProjectView } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { isInside } from './find-task.js';
import { repositoryAround } from './resolve-name.js';

/**
 * Paths and globs from where a command was called, as the record has them: from the top of the
 * repository. Called elsewhere than in the project, they are from its top. Areas stay what they are.
 */
export async function resolvePaths(
  context: CommandContext,
  projectName: string,
  paths: readonly string[],
): Promise<Result<readonly string[]>> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const project = snapshot.value.projects.find(({ name }) => name === projectName);
  const top = project === undefined ? null : await topAround(context, project);
  const tops = [top, project?.path ?? null].filter((each) => each !== null);
  const resolved: string[] = [];
  for (const path of paths) {
    const found = resolvePath(path, {
      prefix: top === null ? '' : relative(top, context.cwd),
      tops,
    });
    if (found === null) return failed({ ...LEADS_OUT, value: path });
    resolved.push(found);
  }
  return success(resolved);
}

/** Null: it leads out of the repository. */
function resolvePath(
  path: string,
  place: { readonly prefix: string; readonly tops: readonly string[] },
): string | null {
  if (path.trim() === '' || isArea(path)) return path;
  if (path.startsWith(FROM_TOP)) return inside(posix.normalize(path.slice(FROM_TOP.length) || '.'));
  if (!isAbsolute(path)) return inside(posix.join(place.prefix, path));
  const top = place.tops.find((each) => isInside(path, each));
  if (top === undefined) return null;
  // What names a folder by its last slash goes on doing so.
  return inside(posix.normalize(path.slice(top.length).replace(/^\/+/, '') || '.'));
}

/** How a command that takes such paths describes them. */
export const PATHS_HELP =
  'paths and globs from this directory (:/PATH: from the top of the repository), or areas';

/** As git writes it. */
const FROM_TOP = ':/';

function inside(path: string): string | null {
  if (path === '..' || path.startsWith('../') || path.startsWith('/')) return null;
  return isArea(path) || path.startsWith('~') ? `./${path}` : path;
}

function isArea(text: string): boolean {
  return /\s/.test(text.trim()) && !/[/.]/.test(text);
}

/** The top of the project's checkout or worktree that a command was called in; null: in none. */
async function topAround(context: CommandContext, project: ProjectView): Promise<string | null> {
  const nearest = nearestCheckout(context);
  // Only git knows whose a worktree is, wherever it lies.
  if (nearest !== null && (nearest === project.path || (await isOf(context, project)))) {
    return nearest;
  }
  // Below another repository, such as a submodule, the files are still the project's.
  return isInside(context.cwd, project.path) ? project.path : null;
}

async function isOf(context: CommandContext, project: ProjectView): Promise<boolean> {
  return (await repositoryAround(context)) === project.path;
}

function nearestCheckout({ files, cwd }: CommandContext): string | null {
  for (let at = cwd; ; at = dirname(at)) {
    const state = files.stat(join(at, '.git'));
    if (state.ok && state.value.kind !== 'absent') return at;
    if (at === dirname(at)) return null;
  }
}

const LEADS_OUT = {
  kind: 'invalid-argument',
  argument: 'path',
  rule: 'it leads out of the repository',
  remedy: 'Paths are from the current directory; from the top of the repository write :/PATH',
} as const;
