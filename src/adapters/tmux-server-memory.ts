import * as v from 'valibot';
import type { Files } from '../ports.js';
import type { ProcessMark, ProcessTable } from './process-table.js';

/** Which process is the terminal server, kept on disk: its socket file alone proves nothing. */
export interface ServerMemory {
  remember(pid: number): void;
  /** The server that was remembered, while it lives. */
  find(): ProcessMark | null;
}

export function createServerMemory(parts: {
  readonly socket: string;
  readonly runDir: string;
  readonly files: Files;
  readonly processes: ProcessTable;
}): ServerMemory {
  const { socket, files, processes } = parts;
  const path = `${parts.runDir}/tmux-server.json`;
  return {
    remember: (pid) => {
      const mark = processes.markOf(pid);
      if (mark !== null) files.replace(path, `${JSON.stringify({ socket, ...mark })}\n`);
    },
    find: () => {
      const file = files.readText(path, 4096);
      const parsed = v.safeParse(MEMORY, file.ok ? file.value.text : '');
      if (!parsed.success || parsed.output.socket !== socket) return null;
      const mark = { pid: parsed.output.pid, start: parsed.output.start };
      // Without a start time it could be anybody's process by now.
      return mark.start !== null && processes.isAlive(mark) ? mark : null;
    },
  };
}

const MEMORY = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ socket: v.string(), pid: v.number(), start: v.nullable(v.string()) }),
);
