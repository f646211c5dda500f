import { randomUUID } from 'node:crypto';
import { cleanText } from '../domain/clean-text.js';
import { failpoint } from '../domain/failpoint.js';
import { success, type Result } from '../domain/result.js';
import type {
  Clock,
  Files,
  ProjectCommand,
  ProjectCommandOutcome,
  ProjectCommands,
} from '../ports.js';
import type { CommandRecords } from './command-records.js';
import { streamCommand } from './run-command.js';

/** Commands that a person's settings name. */
export function createProjectCommands(parts: Parts): ProjectCommands {
  return { run: (command) => runProjectCommand(parts, command) };
}

type Parts = {
  readonly files: Files;
  readonly clock: Clock;
  /** Where what runs is noted, for a daemon that comes after one that was killed. */
  readonly records?: Pick<CommandRecords, 'expect' | 'note' | 'endStrays'>;
};

async function runProjectCommand(
  { files, clock, records }: Parts,
  command: ProjectCommand,
): Promise<Result<ProjectCommandOutcome>> {
  const output = new BoundedOutput();
  const begunMs = clock.monotonicMs();
  const commandId = randomUUID();
  const forgets = records === undefined ? [] : [records.expect(commandId)];
  const ran = await streamCommand(
    {
      program: '/bin/sh',
      argv: ['-c', command.line],
      cwd: command.directory,
      env: { ...command.env, ORANGE_COMMAND_ID: commandId },
      timeoutMs: command.timeoutMs,
      ...(command.signal === undefined ? {} : { signal: command.signal }),
      action: command.line,
    },
    {
      onOutput: (bytes) => output.add(bytes),
      onStart: (pid) => {
        failpoint('command.begun');
        if (records !== undefined) forgets.push(records.note(pid));
      },
    },
  );
  await records?.endStrays(commandId);
  for (const forget of forgets) forget();
  if (!ran.ok) return ran;
  const durationMs = Math.round(clock.monotonicMs() - begunMs);
  const seconds = (durationMs / 1000).toFixed(1);
  const why = command.signal?.aborted === true ? 'stopped' : 'killed, its time was up';
  const end = ran.value === null ? why : `exit ${ran.value}`;
  const text = cleanText(output.text());
  const lines = [`$ ${cleanText(command.line)}`, ...text.split('\n'), `(${end}, ${seconds} s)`];
  const logged = files.appendLines(command.logFile, lines);
  if (!logged.ok) return logged;
  return success({ exitCode: ran.value, durationMs, tail: text.trimEnd().slice(-TAIL_LENGTH) });
}

const TAIL_LENGTH = 2000;
const HEAD_BYTES = 256 * 1024;
const REST_BYTES = 256 * 1024;

/** The beginning and the end of an output of any length. */
class BoundedOutput {
  readonly #head: Uint8Array[] = [];
  #headSize = 0;
  #rest: Uint8Array[] = [];
  #restSize = 0;
  #leftOut = 0;

  add(bytes: Uint8Array): void {
    const first = bytes.subarray(0, HEAD_BYTES - this.#headSize);
    if (first.length > 0) this.#head.push(Buffer.from(first));
    this.#headSize += first.length;
    const later = bytes.subarray(first.length);
    if (later.length === 0) return;
    this.#rest.push(Buffer.from(later));
    this.#restSize += later.length;
    // Cut now and then, not for each piece: each cut copies.
    if (this.#restSize > 2 * REST_BYTES) this.#cut();
  }

  text(): string {
    this.#cut();
    const gap = this.#leftOut === 0 ? '' : `\n… ${this.#leftOut} bytes left out …\n`;
    if (gap === '') return decode([...this.#head, ...this.#rest]);
    return `${decode(this.#head)}${gap}${decode(this.#rest)}`;
  }

  #cut(): void {
    const surplus = this.#restSize - REST_BYTES;
    if (surplus <= 0) return;
    this.#rest = [Buffer.concat(this.#rest).subarray(surplus)];
    this.#restSize = REST_BYTES;
    this.#leftOut += surplus;
  }
}

function decode(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString('utf8');
}
