import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { success, type Result } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { formatLogLine } from '../format-log-line.js';
import { parseWhole, withJson, type JsonOption } from '../options.js';

type LogOptions = JsonOption & { readonly follow?: boolean; readonly lines: number };

export function addLogCommand(program: Command, run: Run): void {
  withJson(program.command('log'))
    .description("the daemon's log, newest last")
    .option('-f, --follow', 'go on as it grows')
    .option('-n, --lines <n>', 'how many', parseWhole({ min: 0, max: 1_000_000 }), 50)
    .action((options: LogOptions) => run(options, (context) => showLog(context, options)));
}

export async function showLog(context: CommandContext, options: LogOptions): Promise<Ending> {
  const tail = readTail(context, options.lines);
  if (!tail.ok) return tail;
  if (options.follow !== true) return printAll(context, tail.value.lines);
  for (const line of tail.value.lines) printLine(context, line);
  for (let seen = tail.value.mark; ; ) {
    await context.delay(LOOK_AGAIN_MS);
    const more = readSince(context, seen);
    if (!more.ok) return more;
    for (const line of more.value.lines) printLine(context, line);
    seen = more.value.mark;
  }
}

type Mark = { readonly path: string | null; readonly length: number };
type Piece = { readonly lines: readonly string[]; readonly mark: Mark };

const LOOK_AGAIN_MS = 300;
// Rolled at 10 MB; a record may still go over it.
const MAX_LOG_BYTES = 64 * 1024 * 1024;

function printAll(context: CommandContext, lines: readonly string[]): Ending {
  if (lines.length === 0) context.output.note(`Nothing is logged (${context.paths.logFile}).`);
  context.output.result(lines.map(parseRecord), () =>
    lines.map((line) => formatLogLine(parseRecord(line), line, context.output.columns)).join('\n'),
  );
  return ENDED_WELL;
}

function printLine(context: CommandContext, line: string): void {
  context.output.line(parseRecord(line), () =>
    formatLogLine(parseRecord(line), line, context.output.columns),
  );
}

function parseRecord(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return { msg: line };
    throw error;
  }
}

function readTail(context: CommandContext, count: number): Result<Piece> {
  const log = readCurrent(context);
  if (!log.ok) return log;
  const lines = wholeLines(log.value.text);
  return success({
    lines: count === 0 ? [] : lines.slice(-count),
    mark: { path: log.value.path, length: endOfLines(log.value.text) },
  });
}

function readSince(context: CommandContext, mark: Mark): Result<Piece> {
  const log = readCurrent(context);
  if (!log.ok) return log;
  const { path, text } = log.value;
  const isSame = path === mark.path && text.length >= mark.length;
  return success({
    lines: wholeLines(isSame ? text.slice(mark.length) : text),
    mark: { path, length: endOfLines(text) },
  });
}

// orange.log is a link to the file that is written now.
function readCurrent(
  context: CommandContext,
): Result<{ readonly path: string | null; readonly text: string }> {
  const { logFile } = context.paths;
  const state = context.files.stat(logFile);
  if (!state.ok) return state;
  if (state.value.kind === 'absent') return success({ path: null, text: '' });
  const path =
    state.value.kind === 'link' ? resolve(dirname(logFile), state.value.target) : logFile;
  const target = context.files.stat(path);
  if (target.ok && target.value.kind === 'absent') return success({ path: null, text: '' });
  const file = context.files.readText(path, MAX_LOG_BYTES, 'lossy');
  return file.ok ? success({ path, text: file.value.text }) : file;
}

function endOfLines(text: string): number {
  return text.lastIndexOf('\n') + 1;
}

function wholeLines(text: string): readonly string[] {
  return text
    .slice(0, endOfLines(text))
    .split('\n')
    .filter((line) => line !== '');
}
