import type { FrontmatterValue } from '../domain/task.js';

/** One top-level key with its value and where it stands; offsets count from the first line. */
export type FrontmatterEntry = {
  readonly key: string;
  readonly value: FrontmatterValue;
  /** Line in the file, the opening `---` being line 1. */
  readonly line: number;
  readonly start: number;
  /** Offset just behind the key's colon. */
  readonly afterColon: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  /** Offset of the next line. */
  readonly end: number;
};
