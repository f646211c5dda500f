import type { Result } from '../../domain/result.js';
import { DONE, failed, success } from '../../domain/result.js';
import { readSalvageRef, salvageRef, type SalvageEntry } from '../../domain/salvage.js';
import type { Git } from './git-command.js';

/** Everything that was kept in a repository, and not dropped for good, oldest first. */
export async function listSalvage(
  git: Git,
  repository: string,
): Promise<Result<readonly SalvageEntry[]>> {
  const listed = await git.text({
    directory: repository,
    argv: ['for-each-ref', `--format=${FORMAT}`, 'refs/orange/salvage', 'refs/orange/dropped'],
  });
  if (!listed.ok) return listed;
  const entries: SalvageEntry[] = [];
  for (const fields of readRecords(listed.value)) {
    const entry = await readEntry(git, repository, fields);
    if (!entry.ok) return entry;
    if (entry.value !== null) entries.push(entry.value);
  }
  return success(entries.toSorted(byAge));
}

export async function findSalvage(
  git: Git,
  repository: string,
  ref: string,
): Promise<Result<SalvageEntry>> {
  const missing = failed({ kind: 'not-found', what: 'salvage', name: ref } as const);
  const name = readSalvageRef(ref);
  if (name === null) return missing;
  const listed = await listSalvage(git, repository);
  if (!listed.ok) return listed;
  const full = salvageRef(name);
  const found = listed.value.find((entry) => entry.ref === full);
  return found === undefined ? missing : success(found);
}

/** Puts an entry among the dropped ones, from where it can still be restored until it is pruned. */
export async function dropSalvage(
  git: Git,
  repository: string,
  ref: string,
): Promise<Result<SalvageEntry>> {
  const found = await findSalvage(git, repository, ref);
  if (!found.ok || found.value.dropped_at !== null) return found;
  const { commit } = found.value;
  const { task_id: taskId, number } = found.value;
  const target = salvageRef({ state: 'dropped', taskId, number });
  const moved = await changeRefs(git, repository, [
    `create ${target} ${commit}`,
    `delete ${found.value.ref} ${commit}`,
  ]);
  return moved.ok ? findSalvage(git, repository, target) : moved;
}

/** Removes an entry for good, if it still is what the caller saw, with copies of repositories inside it. */
export async function removeSalvage(
  git: Git,
  repository: string,
  entry: SalvageEntry,
): Promise<Result<void>> {
  const nested = await git.text({
    directory: repository,
    argv: [
      'for-each-ref',
      '--format=delete %(refname) %(objectname)',
      `refs/orange/nested/${entry.task_id}/${entry.number}/`,
    ],
  });
  if (!nested.ok) return nested;
  const copies = nested.value.split('\n').filter((line) => line !== '');
  return changeRefs(git, repository, [`delete ${entry.ref} ${entry.commit}`, ...copies]);
}

/** What an entry holds beside the commit it began from. */
export function showSalvage(
  git: Git,
  repository: string,
  { entry, form }: { readonly entry: SalvageEntry; readonly form: 'stat' | 'full' },
): Promise<Result<string>> {
  const how = form === 'full' ? ['--patch', '--binary'] : ['--stat=160,120', '--stat-count=500'];
  const flags = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];
  const maxBytes = 64 * 1024 * 1024;
  const directory = repository;
  if (entry.kind === 'work' && entry.head !== null) {
    const argv = ['diff', ...flags, ...how, entry.head, entry.commit, '--'];
    return git.text({ directory, argv, maxBytes });
  }
  const plain = ['--format=', '--no-show-signature', '--first-parent', '-m'];
  const argv = ['log', '-1', ...plain, ...flags, ...how, entry.commit, '--'];
  return git.text({ directory, argv, maxBytes });
}

/** The first line of what orange writes when it keeps a working tree. */
export const WORK_SUBJECT = 'orange: unsaved work of task ';

const FORMAT = [
  '%(refname)',
  '%(objectname)',
  '%(committerdate:unix)',
  '%(contents:subject)',
  '%(contents:body)',
]
  .map((field) => `${field}%00`)
  .join('');

type Fields = {
  readonly ref: string;
  readonly commit: string;
  readonly committedAt: number;
  readonly subject: string;
  readonly body: string;
};

async function readEntry(
  git: Git,
  repository: string,
  fields: Fields,
): Promise<Result<SalvageEntry | null>> {
  const name = readSalvageRef(fields.ref);
  if (name === null) return success(null);
  const isWork = fields.subject.startsWith(WORK_SUBJECT);
  const isPlain = isWork && name.state === 'salvage';
  // A commit is as old as it is; when it was kept, only the log of its ref knows.
  const logged = isPlain ? success(null) : await readLogTime(git, repository, fields.ref);
  if (!logged.ok) return logged;
  const savedAt = isWork ? fields.committedAt : logged.value;
  return success({
    ref: fields.ref,
    task_id: name.taskId,
    number: name.number,
    commit: fields.commit,
    head: isWork ? headIn(fields.body) : fields.commit,
    kind: isWork ? 'work' : 'commit',
    saved_at: timestamp(savedAt),
    dropped_at: name.state === 'dropped' ? (timestamp(logged.value) ?? UNKNOWN_TIME) : null,
  });
}

/** For one that was dropped nobody knows when: never old enough to be pruned. */
const UNKNOWN_TIME = '9999-12-31T23:59:59.000Z';

async function readLogTime(
  git: Git,
  repository: string,
  ref: string,
): Promise<Result<number | null>> {
  const argv = ['reflog', 'show', '-1', '--date=unix', '--format=%gd', ref, '--'];
  const shown = await git.run({ directory: repository, argv });
  if (!shown.ok) return shown;
  const seconds = /@\{(\d+)\}/u.exec(shown.value.stdout)?.[1];
  return success(seconds === undefined ? null : Number(seconds));
}

function headIn(body: string): string | null {
  const head = /^Head: ([0-9a-f]{40,64}|none)$/mu.exec(body)?.[1];
  return head === undefined || head === 'none' ? null : head;
}

function timestamp(seconds: number | null): string | null {
  return seconds === null || seconds === 0 ? null : new Date(seconds * 1000).toISOString();
}

function* readRecords(output: string): Iterable<Fields> {
  const fields = output.split('\0');
  for (let at = 0; at + 4 < fields.length; at += 5) {
    const [ref = '', commit = '', date = '', subject = '', body = ''] = fields.slice(at, at + 5);
    yield { ref: ref.trim(), commit, committedAt: Number(date), subject, body };
  }
}

function byAge(one: SalvageEntry, other: SalvageEntry): number {
  const [early, late] = [one.saved_at ?? '', other.saved_at ?? ''];
  if (early === late) return one.number - other.number;
  return early < late ? -1 : 1;
}

/** All changes or none. */
async function changeRefs(
  git: Git,
  directory: string,
  lines: readonly string[],
): Promise<Result<void>> {
  const changed = await git.perform({
    directory,
    argv: ['update-ref', '--create-reflog', '-m', 'orange', '--stdin'],
    input: ['start', ...lines, 'prepare', 'commit', ''].join('\n'),
  });
  return changed.ok ? DONE : changed;
}
