import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import type { Files } from '../../ports.js';

/** What orange remembers of a worktree for as long as git does. */
export type WorktreeMemory = {
  readonly setup: SetupMemory | null;
  /** Files that were copied into it from the person's checkout. */
  readonly copied: readonly string[];
  /** What git reads in this worktree only, as it was made or set up; null: nobody knows. */
  readonly own: OwnSettings | null;
};

/** The text of the files that steer git in one worktree only; null for one that is not there. */
export type OwnSettings = {
  readonly config: string | null;
  readonly sparse: string | null;
};

export const NO_SETTINGS: OwnSettings = { config: null, sparse: null };

export type SetupMemory = {
  /** Digest of the commands and of all that they depend on. */
  readonly fingerprint: string;
  /** Digest of the settings alone. */
  readonly order: string;
  /** The commit whose files the fingerprint was taken from. */
  readonly commit: string;
  /** When the commands last ran, ISO 8601. */
  readonly at: string;
};

type ReadFiles = Pick<Files, 'readText'>;

const EMPTY: WorktreeMemory = { setup: null, copied: [], own: null };
const MAX_BYTES = 4 * 1024 * 1024;

/** Nothing is remembered where the file cannot be read: then all is done once more. */
export function readMemory(files: ReadFiles, gitDirectory: string): WorktreeMemory {
  const read = files.readText(memoryFile(gitDirectory), MAX_BYTES);
  if (!read.ok) return EMPTY;
  try {
    return parseMemory(JSON.parse(read.value.text));
  } catch (error) {
    if (error instanceof SyntaxError) return EMPTY;
    throw error;
  }
}

export function writeMemory(
  files: Files,
  gitDirectory: string,
  memory: WorktreeMemory,
): Result<unknown> {
  const path = memoryFile(gitDirectory);
  const isEmpty = memory.setup === null && memory.copied.length === 0 && memory.own === null;
  if (isEmpty) return files.remove(path);
  return files.replace(path, `${JSON.stringify(memory, null, 2)}\n`);
}

/** What was set up and copied is gone; what the worktree was made with is not. */
export function forgetSetup(files: Files, gitDirectory: string): Result<unknown> {
  const { own } = readMemory(files, gitDirectory);
  return writeMemory(files, gitDirectory, { setup: null, copied: [], own });
}

/** In the worktree's own git directory: it goes when the worktree goes, and no agent's git sees it. */
function memoryFile(gitDirectory: string): string {
  return join(gitDirectory, 'orange.json');
}

function parseMemory(value: unknown): WorktreeMemory {
  if (!isRecord(value)) return EMPTY;
  const copied = Array.isArray(value['copied']) ? value['copied'] : [];
  return {
    setup: parseSetup(value['setup']),
    copied: copied.filter((each): each is string => typeof each === 'string'),
    own: parseOwn(value['own']),
  };
}

function parseOwn(value: unknown): OwnSettings | null {
  if (!isRecord(value)) return null;
  const { config, sparse } = value;
  if (config !== null && typeof config !== 'string') return null;
  if (sparse !== null && typeof sparse !== 'string') return null;
  return { config, sparse };
}

function parseSetup(value: unknown): SetupMemory | null {
  if (!isRecord(value)) return null;
  const { fingerprint, order, commit, at } = value;
  if (typeof fingerprint !== 'string' || typeof order !== 'string') return null;
  if (typeof commit !== 'string' || typeof at !== 'string') return null;
  return { fingerprint, order, commit, at };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the set-up of a worktree ran for the commit it stands on, or for another; null: it never ran. */
export function readSetupState(files: ReadFiles, worktree: string): 'ready' | 'before' | null {
  const pointer = files.readText(join(worktree, '.git'), 4096);
  const gitDirectory = pointer.ok ? /^gitdir: (.+)\n?$/.exec(pointer.value.text)?.[1] : undefined;
  if (gitDirectory === undefined) return null;
  const { setup } = readMemory(files, gitDirectory);
  if (setup === null) return null;
  const head = files.readText(join(gitDirectory, 'HEAD'), 4096);
  const text = head.ok ? head.value.text.trim() : '';
  // What a task needs was seen to when it got the worktree.
  return text === setup.commit || text.startsWith('ref: ') ? 'ready' : 'before';
}
