import { isAbsolute, join, resolve } from 'node:path';
import type { Files } from '../../ports.js';

/** What a file shows of a ref: a commit, nothing by that name, or that only git itself can tell. */
export type SeenRef = { readonly commit: string } | 'absent' | 'unsure';

const MAX_REF_BYTES = 4096;
const MAX_PACKED_BYTES = 64 * 1024 * 1024;
const OBJECT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Looks a full ref up as git does: its own file first, then the packed ones. */
export function seeRef(files: Files, common: string, ref: string): SeenRef {
  if (!isFileStore(files, common)) return 'unsure';
  const state = files.stat(join(common, ref));
  if (!state.ok)
    return state.failure.kind === 'io-failed' && state.failure.code === 'ENOTDIR'
      ? seePacked(files, common, ref)
      : 'unsure';
  switch (state.value.kind) {
    case 'absent':
    case 'directory':
      return seePacked(files, common, ref);
    case 'file': {
      const read = files.readText(join(common, ref), MAX_REF_BYTES);
      const commit = read.ok ? read.value.text.trim() : '';
      return OBJECT.test(commit) ? { commit } : 'unsure';
    }
    case 'link':
    case 'special':
      return 'unsure';
  }
}

/** Whether there is no doubt that neither a ref nor a folder of refs stands in the way of a full name. */
export function isNameFree(files: Files, common: string, ref: string): boolean {
  if (!isFileStore(files, common)) return false;
  const parts = ref.split('/');
  const parents = parts.slice(FOLDER_DEPTH, -1).map((_part, index) => {
    return parts.slice(0, FOLDER_DEPTH + index + 1).join('/');
  });
  const hasRoom = parents.every((parent) => {
    const state = files.stat(join(common, parent));
    return state.ok && (state.value.kind === 'absent' || state.value.kind === 'directory');
  });
  const own = files.stat(join(common, ref));
  if (!hasRoom || !own.ok || own.value.kind !== 'absent') return false;
  const packed = readPacked(files, common);
  if (packed === null || packed.includes(` ${ref}/`)) return false;
  return [...parents, ref].every((name) => !packed.includes(` ${name}\n`));
}

/** `refs/heads` and the like are folders in any case. */
const FOLDER_DEPTH = 2;

export type SeenHead =
  | { readonly kind: 'branch'; readonly ref: string }
  | { readonly kind: 'detached'; readonly commit: string };

/** HEAD of a git directory; null when only git can tell. */
export function seeHead(files: Files, gitDirectory: string): SeenHead | null {
  const read = files.readText(join(gitDirectory, 'HEAD'), MAX_REF_BYTES);
  if (!read.ok) return null;
  const text = read.value.text.replace(/\n$/, '');
  if (OBJECT.test(text)) return { kind: 'detached', commit: text };
  const ref = /^ref: (refs\/heads\/.+)$/.exec(text)?.[1];
  return ref === undefined || ref.endsWith('/.invalid') ? null : { kind: 'branch', ref };
}

/** The git directory of a linked worktree that git's own pointers agree on; null when they do not. */
export function seeGitDirectory(files: Files, common: string, worktree: string): string | null {
  const pointer = files.readText(join(worktree, '.git'), MAX_REF_BYTES);
  const target = pointer.ok ? /^gitdir: (.+)\n?$/.exec(pointer.value.text)?.[1] : undefined;
  if (target === undefined || !isAbsolute(target)) return null;
  const shared = files.readText(join(target, 'commondir'), MAX_REF_BYTES);
  if (!shared.ok || resolve(target, shared.value.text.trim()) !== common) return null;
  const back = files.readText(join(target, 'gitdir'), MAX_REF_BYTES);
  return back.ok && back.value.text.trim() === join(worktree, '.git') ? target : null;
}

/** Whether refs are files at all; there are other ways to store them. */
function isFileStore(files: Files, common: string): boolean {
  const state = files.stat(join(common, 'reftable'));
  return state.ok && state.value.kind === 'absent';
}

function seePacked(files: Files, common: string, ref: string): SeenRef {
  const packed = readPacked(files, common);
  if (packed === null) return 'unsure';
  const place = packed.indexOf(` ${ref}\n`);
  if (place < 0) return 'absent';
  const commit = packed.slice(packed.lastIndexOf('\n', place) + 1, place);
  return OBJECT.test(commit) ? { commit } : 'unsure';
}

function readPacked(files: Files, common: string): string | null {
  const path = join(common, 'packed-refs');
  const state = files.stat(path);
  if (state.ok && state.value.kind === 'absent') return '';
  const read = files.readText(path, MAX_PACKED_BYTES);
  return read.ok ? read.value.text : null;
}
