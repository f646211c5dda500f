import { CommanderError } from 'commander';
import { EXIT, exitCodeFor } from '../domain/describe-failure.js';
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
  let output = parts.createOutput(hasJsonFlag(parts.argv) ? 'json' : 'human');
  const run: Run = async (options, work) => {
    output = parts.createOutput(options.json === true ? 'json' : 'human');
    const context = parts.openContext(output);
    try {
      const ending = await work(context);
      if (!ending.ok) output.failure(ending.failure);
      exitCode = ending.ok ? ending.value : exitCodeFor(ending.failure);
    } finally {
      context.close();
    }
  };
  try {
    await buildProgram({ ...parts, run }).parseAsync([...parts.argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return error instanceof CommanderError ? reportUsage(output, error) : reportBug(output, error);
  }
}

/** Prints an exception, which is always a bug. */
export function reportBug(output: Output, error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  output.failure({ kind: 'internal', message });
  if (error instanceof Error && error.stack !== undefined) output.note(error.stack);
  return EXIT.bug;
}

// The command line itself could not be read, so only its words can say which form is wanted.
function hasJsonFlag(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

function reportUsage(output: Output, error: CommanderError): number {
  if (error.exitCode === 0) return EXIT.done;
  // Help that was printed because a group was called without a command is its own explanation.
  if (error.code === 'commander.help') return EXIT.usage;
  const [first = '', ...rest] = error.message.split('\n');
  const suggestion = rest.join(' ').replace(/^\((.*)\)$/, '$1');
  output.error('usage', {
    message: capitalise(first.replace(/^error: /, '')),
    hint: suggestion === '' ? 'See: orange --help' : suggestion,
  });
  return EXIT.usage;
}

function capitalise(text: string): string {
  const sentence = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(sentence) ? sentence : `${sentence}.`;
}
