import type { Readable } from 'node:stream';

/**
 * What comes in through a terminal, one message at a time. Lines that arrive together are one
 * message: a pasted text may have several.
 */
export function messagesFrom(input: Readable, quietMs: number): () => Promise<string | null> {
  const state = { ready: [] as string[], pending: '', hasEnded: false };
  let timer: NodeJS.Timeout | undefined;
  let wake: (() => void) | null = null;

  const flush = (): void => {
    const end = state.hasEnded ? state.pending.length : state.pending.lastIndexOf('\n') + 1;
    const message = state.pending.slice(0, end).trim();
    state.pending = state.pending.slice(end);
    if (message !== '') state.ready.push(message);
    wake?.();
  };
  const finish = (): void => {
    clearTimeout(timer);
    state.hasEnded = true;
    flush();
  };
  input.setEncoding('utf8');
  input.on('data', (chunk: string) => {
    state.pending += chunk;
    clearTimeout(timer);
    timer = setTimeout(flush, quietMs);
  });
  input.on('end', finish);
  input.on('error', finish);

  return async () => {
    while (state.ready.length === 0 && !state.hasEnded) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return state.ready.shift() ?? null;
  };
}
