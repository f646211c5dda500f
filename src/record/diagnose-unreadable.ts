import type { Diagnostic } from '../domain/diagnostic.js';
import type { Failure } from '../domain/failure.js';
import { errorAt, type DiagnosticCode } from './diagnostic-codes.js';

/** Turns a failed read into findings about the file. */
export function diagnoseUnreadable(failure: Failure, file: string): readonly Diagnostic[] {
  if (failure.kind === 'file-rejected') return failure.diagnostics;
  const reason = failure.kind === 'io-failed' ? failure.code : failure.kind;
  const [code, message, fix] = REASONS[reason] ?? [
    'ORA004',
    `the file cannot be read (${reason})`,
    'check its permissions and the disk',
  ];
  return [errorAt(code, { file, line: 1, message, fix })];
}

/** A task's file that is gone, though its folder is there. */
export function diagnoseGone(file: string): Diagnostic {
  const message = 'the file does not exist';
  return errorAt('ORA006', { file, line: 1, message, fix: 'put it back from a copy' });
}

const LINKED = ['ORA001', 'the file is a symbolic link', 'replace it by a regular file'] as const;
const SPECIAL = ['ORA001', 'this is not a regular file', 'replace it by a regular file'] as const;

const REASONS: Readonly<
  Record<string, readonly [code: DiagnosticCode, message: string, fix: string]>
> = {
  ELOOP: LINKED,
  EMLINK: LINKED,
  ENOTREG: SPECIAL,
  ENXIO: SPECIAL,
  EISDIR: SPECIAL,
  EFBIG: ['ORA002', 'the file is too large', 'move long text into a file of its own'],
  EILSEQ: ['ORA003', 'the file is not UTF-8 text', 'save it as UTF-8'],
  'not-found': ['ORA036', 'the directory is not named after a task', 'rename or remove it'],
  ENOENT: [
    'ORA004',
    'the file does not exist',
    'put it back from a copy, or give the task up: orange task cancel',
  ],
};
