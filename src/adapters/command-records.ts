import { join } from 'node:path';
import { DONE, type Result } from '../domain/result.js';
import type { Files, Log } from '../ports.js';
import { endProcessTree } from './end-process-tree.js';
import type { ProcessMark, ProcessTable } from './process-table.js';
import { killGroup } from './run-command.js';

/** What is known on disk of the commands that run now, so that none outlives its daemon unseen. */
export interface CommandRecords {
  /** Notes a command that is about to be started, by the mark it is given; what it gives forgets it again. */
  expect(commandId: string): () => void;
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
  const write = (name: string, record: object): { readonly path: string } => {
    const path = join(directory, `${name}.json`);
    const made = files.makeDirectory(directory, 'until-reboot');
    const text = `${JSON.stringify(record)}\n`;
    const noted = made.ok ? files.replace(path, text, 'until-reboot') : made;
    if (!noted.ok) log.write({ event: 'command.not-noted', level: 'warn', name });
    return { path };
  };
  const sayUnseen = (name: string): void =>
    log.write({ event: 'command.not-looked-for', level: 'warn', name });
  return {
    expect: (command) => {
      const { path } = write(command, { command });
      return () => void files.remove(path);
    },
    note: (pid) => {
      const mark = processes.markOf(pid);
      // Without a proof of which process it was, nobody could end it later.
      if (mark === null || mark.start === null) return () => undefined;
      const { path } = write(String(pid), mark);
      running.add(mark);
      return () => {
        running.delete(mark);
        files.remove(path);
      };
    },
    endStrays: async (command) => {
      const ended = await endStrays({ processes, log }, command);
      if (!ended.ok) sayUnseen(command);
    },
    killNow: () => {
      for (const mark of running) if (processes.isAlive(mark)) killGroup(mark.pid);
    },
    endLeft: async () => {
      const names = files.list(directory);
      for (const name of names.ok ? names.value : []) {
        const path = join(directory, name);
        const { mark, command } = readRecord(files, path);
        const ended = mark === null ? DONE : await endLeft({ processes, log }, mark);
        // A daemon that was killed at the wrong moment knew no more of it than this.
        const strays = command === null ? DONE : await endStrays({ processes, log }, command);
        // Who could not be looked for is looked for by the next daemon.
        if (ended.ok && strays.ok) files.remove(path);
        else sayUnseen(name);
      }
    },
  };
}

type Ending = { readonly processes: ProcessTable; readonly log: Log };

async function endStrays({ processes, log }: Ending, value: string): Promise<Result<unknown>> {
  const marker = { name: 'ORANGE_COMMAND_ID', value } as const;
  const found = await processes.findMarked(marker);
  if (!found.ok) return found;
  const known = found.value;
  if (known.length === 0) return DONE;
  const pids = known.map(({ pid }) => pid);
  log.write({ event: 'command.left-running', level: 'info', pids });
  const tree = { markers: [marker], recorders: [] };
  return endProcessTree(processes, tree, { known, graceMs: 0 });
}

async function endLeft({ processes, log }: Ending, mark: ProcessMark): Promise<Result<unknown>> {
  const found = processes.findSession(mark);
  if (!found.ok) return found;
  const known = found.value;
  if (known.length === 0) return DONE;
  const pids = known.map(({ pid }) => pid);
  // The group goes at once, so that none of it can start another meanwhile.
  if (pids.includes(mark.pid) && processes.isAlive(mark)) killGroup(mark.pid);
  const tree = { markers: [], recorders: [mark] };
  const ended = await endProcessTree(processes, tree, { known, graceMs: 0 });
  if (!ended.ok) return ended;
  const left = ended.value.map(({ pid }) => pid);
  const level = left.length === 0 ? 'info' : 'warn';
  log.write({ event: 'command.left-running', level, pids, left });
  return DONE;
}

function readRecord(
  files: Files,
  path: string,
): { readonly mark: ProcessMark | null; readonly command: string | null } {
  const read = files.readText(path, MAX_BYTES);
  const text = read.ok ? read.value.text : '';
  const [, pid, start] = /^\{"pid":([0-9]{1,10}),"start":"([^"\\]{1,200})"\}\n$/.exec(text) ?? [];
  const [, command = null] = /^\{"command":"([0-9a-f-]{36})"\}\n$/.exec(text) ?? [];
  const mark = pid === undefined || start === undefined ? null : { pid: Number(pid), start };
  return { mark, command };
}
