import { readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { pid as ownPid } from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  LaunchedProcess,
  Marker,
  Occupant,
  ProcessMark,
  ProcessTable,
  ProcessTree,
} from './process-marks.js';
import { sendSignal, tableWithoutProc } from './process-listing.js';

export type { Marker, Occupant, ProcessMark, ProcessTable, ProcessTree } from './process-marks.js';

/** Reads the kernel's table under `root`; without one it makes do with `ps` and signal 0. */
export function createProcessTable(root = '/proc'): ProcessTable {
  const boot = readOrNull(`${root}/sys/kernel/random/boot_id`)?.trim() ?? null;
  if (boot === null) return tableWithoutProc();
  const read = (pid: number): Entry | null => readEntry(root, boot, pid);
  const all = (): readonly Entry[] =>
    listPids(root)
      .map(read)
      .filter((entry) => entry !== null);

  const isAlive = (mark: ProcessMark): boolean => {
    const entry = read(mark.pid);
    return entry !== null && (mark.start === null || mark.start === entry.start);
  };
  return {
    bootId: boot,
    isAlive,
    markOf: (pid) => toMark(read(pid)),
    findMarked: async (marker) => {
      const spared = ancestors(read);
      return listPids(root)
        .filter((pid) => !spared.has(pid) && hasMarker(root, pid, [marker]))
        .flatMap((pid) => toMark(read(pid)) ?? []);
    },
    findLaunched: async (home) => {
      const spared = ancestors(read);
      const found: LaunchedProcess[] = [];
      for (const [index, pid] of listPids(root).entries()) {
        // A long table must not keep the daemon from everything else.
        if (index % SLICE === SLICE - 1) await nextTurn();
        const launch = spared.has(pid) ? null : readLaunch(root, pid, home);
        const entry = launch === null ? null : read(pid);
        if (launch === null || entry === null) continue;
        found.push({ pid, start: entry.start, parent: entry.parent, ...launch });
      }
      return found;
    },
    findSession: (member) => {
      const known = read(member.pid);
      if (known === null || known.start !== member.start) return [];
      const spared = ancestors(read);
      return all()
        .filter((entry) => entry.session === known.session && !spared.has(entry.pid))
        .map(({ pid, start }) => ({ pid, start }));
    },
    findTree: async (tree) => {
      const entries = all();
      const spared = ancestors(read);
      const members = findMembers(root, entries, tree).filter(({ pid }) => !spared.has(pid));
      return [...members, ...descendants(entries, members, spared)];
    },
    findInside: (directory) => occupants(root, read, directory),
    signal: (mark, signal) => {
      if (isAlive(mark)) sendSignal(mark.pid, signal);
    },
    openFiles: (pid) => readOpenFiles(root, pid),
  };
}

const SLICE = 64;

type Entry = {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly start: string;
};

function readEntry(root: string, boot: string, pid: number): Entry | null {
  const stat = readOrNull(`${root}/${pid}/stat`);
  if (stat === null) return null;
  // The name in parentheses may hold anything, so the fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, , session] = fields;
  const start = fields[19];
  if (state === undefined || start === undefined || 'ZX'.includes(state)) return null;
  return { pid, parent: Number(parent), session: Number(session), start: `${boot}/${start}` };
}

function toMark(entry: Entry | null): ProcessMark | null {
  return entry === null ? null : { pid: entry.pid, start: entry.start };
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

function findMembers(
  root: string,
  entries: readonly Entry[],
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
    .filter(
      ({ pid, session }) =>
        kept.has(pid) ||
        sessions.has(session) ||
        (markers.length > 0 && hasMarker(root, pid, markers)),
    )
    .map(({ pid, start }) => ({ pid, start }));
}

/** Those below the roots, without these. */
function descendants(
  entries: readonly Entry[],
  roots: readonly ProcessMark[],
  spared: ReadonlySet<number>,
): readonly ProcessMark[] {
  const above = new Set(roots.map(({ pid }) => pid));
  const found = new Map<number, ProcessMark>();
  let parents = new Set(roots.map(({ pid }) => pid));
  while (parents.size > 0) {
    const level = parents;
    const children = entries.filter(
      ({ pid, parent }) =>
        level.has(parent) && !found.has(pid) && !above.has(pid) && !spared.has(pid),
    );
    for (const { pid, start } of children) found.set(pid, { pid, start });
    parents = new Set(children.map(({ pid }) => pid));
  }
  return [...found.values()];
}

/** The launch that a process belongs to, if it was one of this home. */
function readLaunch(
  root: string,
  pid: number,
  home: string,
): Pick<LaunchedProcess, 'taskId' | 'launchId' | 'workspace'> | null {
  const environment = readOrNull(`${root}/${pid}/environ`);
  if (environment === null || !environment.includes('ORANGE_LAUNCH_ID=')) return null;
  const values = new Map(
    environment.split('\0').map((pair) => {
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

function hasMarker(root: string, pid: number, markers: readonly Marker[]): boolean {
  const environment = `\0${readOrNull(`${root}/${pid}/environ`) ?? ''}`;
  const isLaunched = environment.includes('\0ORANGE_LAUNCH_ID=');
  return markers.some(
    ({ name, value }) =>
      (isLaunched || name === 'ORANGE_COMMAND_ID') && environment.includes(`\0${name}=${value}\0`),
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
  const limits = readOrNull(`${root}/${pid}/limits`);
  const limit = Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1]);
  const used = listOrNull(`${root}/${pid}/fd`)?.length;
  return used === undefined || Number.isNaN(limit) ? null : { used, limit };
}

function listPids(root: string): readonly number[] {
  return (listOrNull(root) ?? []).filter((name) => /^\d+$/.test(name)).map(Number);
}

// Processes come and go while the table is read: what cannot be read is not there any more.
function readOrNull(path: string): string | null {
  return attempt(() => readFileSync(path, 'latin1'));
}

function listOrNull(path: string): readonly string[] | null {
  return attempt(() => readdirSync(path));
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
