import { InternalError } from '../domain/failure.js';

/** One word of POSIX sh that stands for exactly this text. */
export function quoteForShell(text: string): string {
  if (text.includes('\0')) throw new InternalError('a shell word cannot hold a NUL byte');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
