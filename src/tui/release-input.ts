import type { ReadStream } from 'node:tty';

/**
 * Stops reading the terminal. Ink stops listening but leaves the stream reading, and would take
 * the first keys from whoever has the terminal next.
 */
export async function releaseInput(stdin: ReadStream): Promise<void> {
  if (stdin.destroyed) return;
  // Only a flowing stream can be paused in a way that reaches the terminal.
  stdin.resume();
  await new Promise((resolve) => setImmediate(resolve));
  stdin.pause();
  await new Promise((resolve) => setImmediate(resolve));
}
