import { readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { kill, pid as ownPid } from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runCommand } from './run-command.js';

/** A process and the proof that it is still the same one; `start` is null where none can be had. */
export type ProcessMark = { readonly pid: number; readonly start: string | null };

/**
 * What was put into the environment of an agent, by which its descendants are known. A task's id
 * alone is no proof, since people set it in their own shells: a launch id must be there as well.
 */
export type Marker = {
  readonly name: 'ORANGE_LAUNCH_ID' | 'ORANGE_TASK_ID' | 'ORANGE_COMMAND_ID';
  readonly value: string;
};

/** A process that was started by, or by something that was started by, a launch. */
export type LaunchedProcess = ProcessMark & {
  readonly parent: number;
  readonly taskId: string;
  readonly launchId: string;
  readonly workspace: string | null;
};

/** A process that has its working directory in a place. */
export type Occupant = ProcessMark & {
  /** The terminal session it is in: the pid of the one that began it. */
  readonly session: number;
  /** Its arguments as the kernel has them. */
  readonly command: string;
};

/** What makes a process one of a launch, or of another beginning. */
export type ProcessTree = {
  readonly markers: readonly Marker[];
  readonly recorders: readonly ProcessMark[];
  readonly known: readonly ProcessMark[];
};

export interface ProcessTable {
  /** Names this run of the machine; null where it has no name. */
  readonly bootId: string | null;
  /** Whether this very process runs; one that ended but is not yet reaped does not. */
  isAlive(mark: ProcessMark): boolean;
  /** Live processes with the marker in their environment, this one and its parents left out. */
  findMarked(marker: Marker): Promise<readonly ProcessMark[]>;
  /** Live processes of agents that were started from this home, this one and its parents left out. */
  findLaunched(home: string): Promise<readonly LaunchedProcess[]>;
  /** Live processes of the terminal session that this process is in, while it lives. */
  findSession(member: ProcessMark): readonly ProcessMark[];
  /**
   * Live processes with one of the markers, in the terminal session of a recorder, or known; and
   * their descendants, as far as the line of parents is unbroken. The table is read once.
   */
  findTree(tree: ProcessTree): Promise<readonly ProcessMark[]>;
  /** Live processes that work at or below a directory, this one left out. */
  findInside(directory: string): readonly Occupant[];
  /** Sends a signal unless the process is gone or another one by now. */
  signal(mark: ProcessMark, signal: NodeJS.Signals): void;
  /** The mark of a live process, or null. */
  markOf(pid: number): ProcessMark | null;
  /** How many files a process has open and may have, or null where that is not told. */
  openFiles(pid: number): { readonly used: number; readonly limit: number } | null;
}

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

function tableWithoutProc(): ProcessTable {
  return {
    bootId: null,
    isAlive: (mark) => sendSignal(mark.pid, 0),
    markOf: (pid) => (sendSignal(pid, 0) ? { pid, start: null } : null),
    findMarked: (marker) => listMarked([marker]),
    findLaunched: async (home) => {
      const listing = await listWithEnvironments();
      return listing.flatMap((line): readonly LaunchedProcess[] => {
        const valueOf = (name: string): string | undefined =>
          new RegExp(` ${name}=(\\S+)`).exec(line)?.[1];
        const [taskId, launchId] = [valueOf('ORANGE_TASK_ID'), valueOf('ORANGE_LAUNCH_ID')];
        const isHere = `${line} `.includes(` ORANGE_HOME=${home} `);
        if (!isHere || taskId === undefined || launchId === undefined) return [];
        const workspace = valueOf('ORANGE_WORKSPACE') ?? null;
        const pid = Number.parseInt(line, 10);
        return [{ pid, start: null, parent: 0, taskId, launchId, workspace }];
      });
    },
    findSession: () => [],
    findTree: async ({ markers, known }) => {
      const living = known.filter(({ pid }) => sendSignal(pid, 0));
      const found = [...living, ...(await listMarked(markers))];
      return [...new Map(found.map((mark) => [mark.pid, mark])).values()];
    },
    findInside: () => [],
    signal: (mark, signal) => {
      sendSignal(mark.pid, signal);
    },
    openFiles: () => null,
  };
}

async function listMarked(markers: readonly Marker[]): Promise<readonly ProcessMark[]> {
  if (markers.length === 0) return [];
  const listing = await listWithEnvironments();
  return listing
    .filter((line) => markers.some(({ name, value }) => `${line} `.includes(` ${name}=${value} `)))
    .map((line) => ({ pid: Number.parseInt(line, 10), start: null }));
}

/** The lines of `ps` about living agents: pid, state, command, environment. */
async function listWithEnvironments(): Promise<readonly string[]> {
  const listing = await runCommand({
    program: 'ps',
    argv: ['axeww', '-o', 'pid=,stat=,command='],
    timeoutMs: 5000,
  });
  if (!listing.ok) return [];
  return listing.value.stdout
    .split('\n')
    .filter((line) => !/^\s*\d+\s+Z/.test(line) && line.includes(' ORANGE_LAUNCH_ID='))
    .filter((line) => Number.parseInt(line, 10) !== ownPid);
}

/** Gives false when there is no such process; one of another user is there, but out of reach. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  // A pid of 0 or less would mean a whole group.
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  try {
    kill(pid, signal);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
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
