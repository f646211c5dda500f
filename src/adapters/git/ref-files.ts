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

/** Whether a ref or a folder of refs may stand at this full name, loose or packed. */
export function mayHoldRefs(files: Files, common: string, name: string): boolean {
  if (!isFileStore(files, common)) return true;
  const state = files.stat(join(common, name));
  if (state.ok && state.value.kind !== 'absent') return true;
  const packed = readPacked(files, common);
  return packed === null || packed.includes(` ${name}\n`) || packed.includes(` ${name}/`);
}

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
