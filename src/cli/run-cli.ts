import { CommanderError } from 'commander';
import { EXIT, exitCodeFor } from '../domain/describe-failure.js';
import type { Description } from '../domain/description.js';
import { arrangeWords } from './arrange-words.js';
import { buildProgram } from './build-program.js';
import type { CommandContext, Run } from './command-context.js';
import type { Output, Writer } from './output.js';

export type CliParts = {
  /** The words after the program's name. */
  readonly argv: readonly string[];
  readonly version: string;
  readonly stdout: Writer;
  readonly stderr: Writer;
  readonly createOutput: (form: 'json' | 'human') => Output;
  readonly openContext: (output: Output) => CommandContext & { close(): void };
};

/** Runs one command line and gives its exit code. Whatever goes wrong is printed here, once. */
export async function runCli(parts: CliParts): Promise<number> {
  let exitCode: number = EXIT.done;
  const form = hasJsonFlag(parts.argv) ? 'json' : 'human';
  let output = parts.createOutput(form);
  const run: Run = async (options, work) => {
    output = parts.createOutput(options.json === true ? 'json' : 'human');
    const context = parts.openContext(output);
    try {
      const ending = await work(context);
      if (!ending.ok) output.failure(ending.failure);
      exitCode = ending.ok ? ending.value : exitCodeFor(ending.failure);
    } finally {
      output.endProgress();
      context.close();
    }
  };
  // Help that nobody asked for is for people; programs get an error.
  const stderr = form === 'json' ? { write: () => undefined } : parts.stderr;
  const program = buildProgram({ ...parts, stderr, run });
  const words = arrangeWords(program, parts.argv);
  try {
    await program.parseAsync([...words.argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return error instanceof CommanderError
      ? reportUsage(output, error, words.command)
      : reportBug(output, error);
  }
}

/** Prints an exception, which is always a bug. */
export function reportBug(output: Output, error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  output.failure({ kind: 'internal', message });
  if (error instanceof Error && error.stack !== undefined) output.note(error.stack);
  return EXIT.bug;
}

/** What only the words can say while the command line itself is not read: which form is wanted. */
export function hasJsonFlag(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

function reportUsage(output: Output, error: CommanderError, command: string): number {
  if (error.exitCode === 0) return EXIT.done;
  if (error.code === 'commander.help') {
    // Its help has been printed for people, and explains itself.
    if (output.form === 'json') output.error('usage', needsCommand(command));
    return EXIT.usage;
  }
  const [first = '', ...rest] = error.message.split('\n');
  const suggestion = rest.join(' ').replace(/^\((.*)\)$/, '$1');
  output.error('usage', {
    message: capitalise(first.replace(/^error: /, '')),
    hint: suggestion === '' ? usageHint(error, command) : suggestion,
  });
  return EXIT.usage;
}

function needsCommand(command: string): Description {
  return { message: `${command} needs a command.`, hint: `See: ${command} --help` };
}

function usageHint(error: CommanderError, command: string): string {
  const isSplitSummary =
    error.code === 'commander.excessArguments' && command === 'orange task create';
  return isSplitSummary
    ? 'Put the summary in quotes: orange task create BRANCH "SUMMARY"'
    : `See: ${command} --help`;
}

function capitalise(text: string): string {
  const sentence = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(sentence) ? sentence : `${sentence}.`;
}
