import { readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { pid as ownPid } from 'node:process';
import { failed, success, type Result } from '../domain/result.js';
import { errnoOf } from './disk-steps.js';
import type {
  LaunchedProcess,
  Marker,
  Occupant,
  ProcessMark,
  ProcessTable,
  ProcessTree,
  Recorder,
  RunningProgram,
} from './process-marks.js';
import { isLauncherOf } from './launcher-script.js';
import { type Counted, type Entry, ProcessCensus, attempt, listPids } from './process-census.js';
import { sendSignal, tableWithoutProc } from './process-listing.js';

export type { Marker, Occupant, ProcessMark, ProcessTable, ProcessTree } from './process-marks.js';

/** Reads the kernel's table under `root`; without one it makes do with `ps` and signal 0. */
export function createProcessTable(root = '/proc'): ProcessTable {
  const boot = readOrNull(`${root}/sys/kernel/random/boot_id`)?.trim() ?? null;
  if (boot === null) return tableWithoutProc();
  const census = new ProcessCensus(root, boot);
  const read = (pid: number): Entry | null => census.read(pid);
  /** All but this process and those above it: an agent may have started the daemon that ends it. */
  const countOthers = async (): Promise<readonly Counted[]> => {
    const all = await census.take();
    const spared = ancestors(read);
    return all.filter(({ pid }) => !spared.has(pid));
  };

  const look = <T>(find: () => T): Result<T> => lookInto(root, find);
  const count = async <T>(find: (others: readonly Counted[]) => T): Promise<Result<T>> => {
    try {
      return success(find(await countOthers()));
    } catch (error) {
      return unreadable(root, error);
    }
  };
  const markNow = (pid: number): ProcessMark | null => {
    const seen = look(() => toMark(read(pid)));
    if (seen.ok) return seen.value;
    // A signal needs no descriptor. That there is one of this number does not prove which.
    return sendSignal(pid, 0) ? { pid, start: null } : null;
  };
  const isAlive = (mark: ProcessMark): boolean => {
    const now = markNow(mark.pid);
    return now !== null && (mark.start === null || now.start === null || mark.start === now.start);
  };
  return {
    bootId: boot,
    isAlive,
    markOf: markNow,
    findMarked: (marker) =>
      count((others) => others.filter((one) => hasMarker(one, [marker])).map(markOf)),
    findLaunched: (home) =>
      count((others) =>
        others.flatMap((one) => toLaunched(one, readLaunch(one, home), { root, read }) ?? []),
      ),
    findSession: (member) => look(() => sessionMates(root, read, member)),
    findTree: async (tree) => {
      // By nothing, nobody can be known.
      if (tree.markers.length + tree.recorders.length + tree.known.length === 0) return success([]);
      return count((others) => {
        const members = findMembers(others, tree);
        return [...members, ...descendants(others, members)];
      });
    },
    findRunning: async (argv) => look(() => programsWith(root, read, argv)),
    findChildren: async (parent) => look(() => childrenOf(root, read, parent)),
    findInside: (directory) => look(() => occupants(root, read, directory)),
    signal: (mark, signal) => {
      if (isAlive(mark)) sendSignal(mark.pid, signal);
    },
    openFiles: (pid) => readOpenFiles(root, pid),
  };
}

function lookInto<T>(root: string, find: () => T): Result<T> {
  try {
    return success(find());
  } catch (error) {
    return unreadable(root, error);
  }
}

function unreadable(root: string, error: unknown): Result<never> {
  const code = errnoOf(error);
  if (code === null) throw error;
  return failed({ kind: 'io-failed', path: root, operation: 'read', code });
}

function sessionMates(
  root: string,
  read: (pid: number) => Entry | null,
  member: ProcessMark,
): readonly ProcessMark[] {
  const known = read(member.pid);
  if (known === null || known.start !== member.start) return [];
  const spared = ancestors(read);
  return listPids(root)
    .filter((pid) => !spared.has(pid))
    .map(read)
    .filter((entry) => entry !== null && entry.session === known.session)
    .flatMap((entry) => toMark(entry) ?? []);
}

function markOf({ pid, start }: Entry): ProcessMark {
  return { pid, start };
}

function toMark(entry: Entry | null): ProcessMark | null {
  return entry === null ? null : markOf(entry);
}

function occupants(
  root: string,
  read: (pid: number) => Entry | null,
  directory: string,
): readonly Occupant[] {
  const place = attempt(() => realpathSync(directory));
  const isInside = (pid: number): boolean => {
    const cwd = attempt(() => readlinkSync(`${root}/${pid}/cwd`));
    return cwd !== null && pid !== ownPid && (cwd === place || cwd.startsWith(`${place}/`));
  };
  return (place === null ? [] : listPids(root).filter(isInside))
    .map(read)
    .filter((entry) => entry !== null)
    .map(({ pid, start, session }) => {
      return { pid, start, session, command: readOrNull(`${root}/${pid}/cmdline`) ?? '' };
    });
}

function programsWith(
  root: string,
  read: (pid: number) => Entry | null,
  argv: readonly string[],
): readonly RunningProgram[] {
  const wanted = Buffer.from(argv.map((word) => `${word}\0`).join('')).toString('latin1');
  return listPids(root)
    .filter((pid) => readOrNull(`${root}/${pid}/cmdline`) === wanted)
    .map(read)
    .filter((entry) => entry !== null)
    .map(({ pid, start, parent }) => ({ pid, start, parent }));
}

function childrenOf(
  root: string,
  read: (pid: number) => Entry | null,
  parent: ProcessMark,
): readonly ProcessMark[] {
  if (read(parent.pid)?.start !== parent.start) return [];
  return listPids(root)
    .map(read)
    .filter((entry) => entry !== null && entry.parent === parent.pid)
    .flatMap((entry) => toMark(entry) ?? []);
}

function findMembers(
  entries: readonly Counted[],
  { markers, recorders, known }: ProcessTree,
): readonly ProcessMark[] {
  const starts = new Map(entries.map(({ pid, start, session }) => [pid, { start, session }]));
  const isLiving = ({ pid, start }: ProcessMark): boolean => {
    const now = starts.get(pid)?.start;
    return now !== undefined && (start === null || start === now);
  };
  const kept = new Set(known.filter(isLiving).map(({ pid }) => pid));
  const sessions = new Set(recorders.filter(isLiving).map(({ pid }) => starts.get(pid)?.session));
  return entries
    .filter((one) => kept.has(one.pid) || sessions.has(one.session) || hasMarker(one, markers))
    .map(markOf);
}

/** Those below the roots, without these. */
function descendants(
  entries: readonly Entry[],
  roots: readonly ProcessMark[],
): readonly ProcessMark[] {
  const above = new Set(roots.map(({ pid }) => pid));
  const found = new Map<number, ProcessMark>();
  let parents = new Set(roots.map(({ pid }) => pid));
  while (parents.size > 0) {
    const level = parents;
    const children = entries.filter(
      ({ pid, parent }) => level.has(parent) && !found.has(pid) && !above.has(pid),
    );
    for (const child of children) found.set(child.pid, markOf(child));
    parents = new Set(children.map(({ pid }) => pid));
  }
  return [...found.values()];
}

/** The launch that a process belongs to, if it was one of this home. */
function readLaunch(
  { marks }: Counted,
  home: string,
): Pick<LaunchedProcess, 'taskId' | 'launchId' | 'workspace'> | null {
  if (marks.length === 0) return null;
  const values = new Map(
    marks.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    }),
  );
  const [taskId, launchId] = [values.get('ORANGE_TASK_ID'), values.get('ORANGE_LAUNCH_ID')];
  const isHere = values.get('ORANGE_HOME') === Buffer.from(home).toString('latin1');
  if (!isHere || taskId === undefined || launchId === undefined) return null;
  const workspace = Buffer.from(values.get('ORANGE_WORKSPACE') ?? '', 'latin1').toString();
  return { taskId, launchId, workspace: workspace === '' ? null : workspace };
}

function toLaunched(
  one: Counted,
  launch: ReturnType<typeof readLaunch>,
  table: { readonly root: string; readonly read: (pid: number) => Entry | null },
): LaunchedProcess | null {
  if (launch === null) return null;
  const recorder = recorderAbove(one, launch.launchId, table);
  const above = recorder === 'none' ? null : table.read(recorder);
  const hasTerminal = one.hasTerminal || above?.hasTerminal === true;
  return { ...markOf(one), recorder, hasTerminal, ...launch };
}

/** Looks upwards for the launcher. Who has a foster parent, whatever that is, has none above it. */
function recorderAbove(
  { parent }: Entry,
  launchId: string,
  table: { readonly root: string; readonly read: (pid: number) => Entry | null },
): Exclude<Recorder, 'unknown'> {
  const seen = new Set<number>();
  let pid = parent;
  while (pid > 1 && !seen.has(pid)) {
    seen.add(pid);
    const argv = readOrNull(`${table.root}/${pid}/cmdline`)?.split('\0').slice(0, -1) ?? [];
    if (isLauncherOf(argv, launchId)) return pid;
    pid = table.read(pid)?.parent ?? 0;
  }
  return 'none';
}

function hasMarker({ marks }: Counted, markers: readonly Marker[]): boolean {
  if (marks.length === 0) return false;
  const isLaunched = marks.some((mark) => mark.startsWith('ORANGE_LAUNCH_ID='));
  return markers.some(
    ({ name, value }) =>
      (isLaunched || name === 'ORANGE_COMMAND_ID') && marks.includes(`${name}=${value}`),
  );
}

/** This process and those above it: an agent may have started the daemon that ends it. */
function ancestors(read: (pid: number) => Entry | null): ReadonlySet<number> {
  const found = new Set<number>();
  let pid = ownPid;
  while (pid > 0 && !found.has(pid)) {
    found.add(pid);
    pid = read(pid)?.parent ?? 0;
  }
  return found;
}

function readOpenFiles(root: string, pid: number): { used: number; limit: number } | null {
  const limits = lookInto(root, () => readOrNull(`${root}/${pid}/limits`) ?? '');
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits.ok ? limits.value : '')?.[1]);
  const listed = lookInto(root, () => attempt(() => readdirSync(`${root}/${pid}/fd`)));
  const used = listed.ok ? listed.value?.length : undefined;
  return used === undefined || Number.isNaN(limit) ? null : { used, limit };
}

function readOrNull(path: string): string | null {
  return attempt(() => readFileSync(path, 'latin1'));
}
