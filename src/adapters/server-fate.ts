import type { ProcessMark } from './process-table.js';

/**
 * Which terminal server exits: it has closed all its terminals and lets nobody in, but its process
 * lives on until the last of its clients has gone.
 */
export interface ServerFate {
  noteExiting(server: ProcessMark): void;
  /** Notes that the server lets clients in. */
  noteServing(): void;
  isExiting(server: ProcessMark): boolean;
}

export function createServerFate(): ServerFate {
  let exiting: ProcessMark | null = null;
  return {
    noteExiting: (server) => {
      exiting = server;
    },
    noteServing: () => {
      exiting = null;
    },
    isExiting: ({ pid, start }) => exiting?.pid === pid && exiting.start === start,
  };
}
