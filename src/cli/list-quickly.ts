import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createDiskFiles } from '../adapters/disk-files.js';
import { connect } from '../api/client.js';
import { relateTasks } from '../domain/task-relations.js';
import { toTaskJson, type Snapshot } from '../domain/task-view.js';
import { createPaths, defaultHome, type Paths } from '../record/paths.js';
import { projectAround } from './find-task.js';
import { jsonText } from './json-text.js';
import { selectTasks } from './select-tasks.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The words of a list in JSON without any further wish, and whether it is the list of everything. */
export function readListWords(words: readonly string[]): { readonly isAll: boolean } | null {
  const command = words[0] === 'ls' ? 1 : 2;
  if (command === 2 && (words[0] !== 'task' || words[1] !== 'list')) return null;
  const options = words.slice(command);
  if (!options.includes('--json')) return null;
  const isKnown = options.every((word) => word === '--json' || isAllFlag(word));
  return isKnown ? { isAll: options.some(isAllFlag) } : null;
}

function isAllFlag(word: string): boolean {
  return word === '--all' || word === '-a';
}

/**
 * The text of `orange task list --json` when a daemon answers at once; null for anything out of the
 * ordinary, which is left to the whole program. Scripts and agents ask for this list all the time,
 * and reading command lines takes longer than answering.
 */
export async function listQuickly(
  { isAll }: { readonly isAll: boolean },
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): Promise<string | null> {
  const paths = createPaths(resolve(cwd, defaultHome(env, homedir())));
  const client = await connect({ socketPath: paths.daemonSocket, timeoutMs: LIMIT_MS });
  if (!client.ok) return null;
  const answer = await client.value.call({ method: 'snapshot' }, { timeoutMs: LIMIT_MS });
  client.value.close();
  if (!answer.ok) return null;
  const project = isAll ? null : findProject(answer.value, paths, { env, cwd });
  if (project === undefined) return null;
  const tasks = selectTasks(answer.value, { project, status: null, isAll });
  const relations = relateTasks(answer.value.tasks);
  const rows = tasks.map((task) => toTaskJson(task, relations(task.fields.id)));
  return `${jsonText(rows, 2)}\n`;
}

const LIMIT_MS = 2000;

/** The project of this directory, null when it is in none, undefined when only git can tell. */
function findProject(
  snapshot: Snapshot,
  { workspacesDir }: Paths,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): string | null | undefined {
  const around = projectAround(snapshot, cwd, workspacesDir);
  if (around !== null) return around.name;
  if (snapshot.projects.length === 0) return null;
  return (env['GIT_DIR'] ?? '') === '' && !hasRepositoryAbove(cwd) ? null : undefined;
}

function hasRepositoryAbove(directory: string): boolean {
  const files = createDiskFiles();
  for (let at = directory; ; at = dirname(at)) {
    const state = files.stat(join(at, '.git'));
    if (!state.ok || state.value.kind !== 'absent') return true;
    if (at === dirname(at)) return false;
  }
}
