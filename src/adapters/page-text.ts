import process from 'node:process';
import { runAttached } from './run-command.js';

/** Shows a text in a pager until the person leaves it; false when the pager could not be run. */
export async function pageText(
  text: string,
  pager: {
    readonly program: string;
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  },
): Promise<boolean> {
  process.on('SIGINT', stay);
  const ended = await runAttached({ ...pager, input: text });
  process.off('SIGINT', stay);
  return ended.ok && !CANNOT_RUN.has(ended.value);
}

// What a shell says of a program that is not there or may not be run.
const CANNOT_RUN: ReadonlySet<number> = new Set([126, 127]);

// Ctrl-C is for the pager, which takes it for "stop searching" and lives on.
function stay(): void {}
