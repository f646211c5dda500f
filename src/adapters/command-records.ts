import { join } from 'node:path';
import type { Files, Log } from '../ports.js';
import { endProcessTree } from './end-process-tree.js';
import type { ProcessMark, ProcessTable } from './process-table.js';
import { killGroup } from './run-command.js';

/** What is known on disk of the commands that run now, so that none outlives its daemon unseen. */
export interface CommandRecords {
  /** Notes a command that leads its process group; what it gives forgets it again. */
  note(pid: number): () => void;
  /** Ends what an earlier daemon left running. To be called before anything is noted. */
  endLeft(): Promise<void>;
  /** Ends what has left the group of a command that is over, by the mark it was given. */
  endStrays(commandId: string): Promise<void>;
  /** Kills what runs now. To be called when nobody takes note of how it ends any more. */
  killNow(): void;
}

const MAX_BYTES = 4096;

export function createCommandRecords(parts: {
  readonly directory: string;
  readonly files: Files;
  readonly processes: ProcessTable;
  readonly log: Log;
}): CommandRecords {
  const { directory, files, processes, log } = parts;
  const running = new Set<ProcessMark>();
  return {
    note: (pid) => {
      const mark = processes.markOf(pid);
      // Without a proof of which process it was, nobody could end it later.
      if (mark === null || mark.start === null) return () => undefined;
      const path = join(directory, `${pid}.json`);
      const made = files.makeDirectory(directory, 'until-reboot');
      const text = `${JSON.stringify(mark)}\n`;
      const noted = made.ok ? files.replace(path, text, 'until-reboot') : made;
      if (!noted.ok) log.write({ event: 'command.not-noted', level: 'warn', pid });
      running.add(mark);
      return () => {
        running.delete(mark);
        files.remove(path);
      };
    },
    endStrays: async (value) => {
      const marker = { name: 'ORANGE_COMMAND_ID', value } as const;
      const known = await processes.findMarked(marker);
      if (known.length === 0) return;
      const pids = known.map(({ pid }) => pid);
      log.write({ event: 'command.left-running', level: 'info', pids });
      const tree = { markers: [marker], recorders: [] };
      await endProcessTree(processes, tree, { known, graceMs: 0 });
    },
    killNow: () => {
      for (const mark of running) if (processes.isAlive(mark)) killGroup(mark.pid);
    },
    endLeft: async () => {
      const names = files.list(directory);
      for (const name of names.ok ? names.value : []) {
        const path = join(directory, name);
        const mark = readMark(files, path);
        if (mark !== null) await endLeft({ processes, log }, mark);
        files.remove(path);
      }
    },
  };
}

async function endLeft(
  { processes, log }: { readonly processes: ProcessTable; readonly log: Log },
  mark: ProcessMark,
): Promise<void> {
  const known = processes.findSession(mark);
  if (known.length === 0) return;
  const pids = known.map(({ pid }) => pid);
  // The group goes at once, so that none of it can start another meanwhile.
  if (pids.includes(mark.pid) && processes.isAlive(mark)) killGroup(mark.pid);
  const tree = { markers: [], recorders: [mark] };
  const left = await endProcessTree(processes, tree, { known, graceMs: 0 });
  const level = left.length === 0 ? 'info' : 'warn';
  log.write({ event: 'command.left-running', level, pids, left: left.map(({ pid }) => pid) });
}

function readMark(files: Files, path: string): ProcessMark | null {
  const read = files.readText(path, MAX_BYTES);
  if (!read.ok) return null;
  const [, pid, start] =
    /^\{"pid":([0-9]{1,10}),"start":"([^"\\]{1,200})"\}\n$/.exec(read.value.text) ?? [];
  return pid === undefined || start === undefined ? null : { pid: Number(pid), start };
}
