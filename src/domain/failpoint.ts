import type { FailpointName } from './failpoint-names.js';

let act: ((name: FailpointName) => void) | null = null;

/** A named place where faults are injected when the daemon is proven; does nothing otherwise. */
export function failpoint(name: FailpointName): void {
  if (act !== null) act(name);
}

/** The failpoint at one step of replacing a file, named after what the file is. */
export function writeFailpoint(path: string, step: WriteStep): void {
  if (act === null) return;
  const file = writtenFile(path);
  // An outbox entry is made under its own name.
  if (step !== 'renamed') act(`${file}.${step}`);
  else if (file !== 'outbox-entry') act(`${file}.${step}`);
}

/** Lets every failpoint call `action` from now on. */
export function armFailpoints(action: (name: FailpointName) => void): void {
  act = action;
}

export function areFailpointsArmed(): boolean {
  return act !== null;
}

type WriteStep = 'before-write' | 'written' | 'synced' | 'renamed' | 'directory-synced';
type WrittenFile = FailpointName extends infer Name
  ? Name extends `${infer File}.directory-synced`
    ? File
    : never
  : never;

function writtenFile(path: string): WrittenFile {
  const [name = '', directory = ''] = path.split('/').toReversed();
  if (name === 'TASK.md') return 'task-file';
  if (name === '.pool.json') return 'pool-file';
  if (name === 'projects.json') return 'projects-file';
  if (directory === 'outbox') return 'outbox-entry';
  return directory === 'transcripts' ? 'transcript' : 'other-file';
}
