import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { success, type Result } from '../domain/result.js';
import type { Files, FileStamp, ReadFile, Replacement } from '../ports.js';
import type { Paths } from './paths.js';

/** A task's file that was replaced, by the name it still has, and the text it had then. */
export type ReplacedFile = {
  readonly project: string;
  readonly id: string;
  readonly path: string;
  readonly base: string;
};

/** Replaces task files, and tells of each one: somebody may still write into it. */
export type Replacer = {
  /** The stamp of the new file; null when somebody else wrote first. */
  replace(
    project: string,
    id: string,
    texts: { readonly current: ReadFile; readonly text: string },
  ): Result<FileStamp | null>;
  /** Puts a link to the task's file in the place of a copy; false when the copy has changed. */
  linkCopy(
    project: string,
    id: string,
    copy: ReadFile & { readonly path: string },
  ): Result<boolean>;
};

export function createReplacer(parts: {
  readonly files: Files;
  readonly paths: Paths;
  readonly onReplaced: (replaced: ReplacedFile) => void;
}): Replacer {
  const { files, paths, onReplaced } = parts;
  const swap = (
    task: { readonly project: string; readonly id: string },
    base: string,
    act: (keepAs: string) => Result<Replacement>,
  ): Result<FileStamp | null> => {
    const made = files.makeDirectory(paths.replacedDir);
    if (!made.ok) return made;
    const replaced = act(join(paths.replacedDir, `${task.id}~${digestOf(base)}`));
    if (!replaced.ok) return replaced;
    if (replaced.value.kind === 'changed-meanwhile') return success(null);
    for (const path of replaced.value.kept) onReplaced({ ...task, path, base });
    return success(replaced.value.stamp);
  };
  return {
    replace: (project, id, { current, text }) =>
      swap({ project, id }, current.text, (keepAs) =>
        files.replaceIfUnchanged(paths.taskFile(project, id), current.stamp, text, keepAs),
      ),
    linkCopy: (project, id, { path, text, stamp }) => {
      const linked = swap({ project, id }, text, (keepAs) =>
        files.linkIfUnchanged(path, stamp, paths.taskFile(project, id), keepAs),
      );
      return linked.ok ? success(linked.value !== null) : linked;
    },
  };
}

/** Tells two texts apart; part of a replaced file's name. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
