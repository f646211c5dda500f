import type { Command } from 'commander';

export type ArrangedWords = {
  /** The words as the program reads them. */
  readonly argv: readonly string[];
  /** The command they call, by its full name: `orange task create`. */
  readonly command: string;
};

/**
 * Puts options that stand before a command behind its name, where commands look for them; a command
 * that lacks one refuses it there. `help a b` becomes `a b --help`.
 */
export function arrangeWords(program: Command, argv: readonly string[]): ArrangedWords {
  const found = walk(program, argv);
  const [first, ...rest] = argv.slice(found.read);
  const command = ['orange', ...found.names].join(' ');
  if (found.names.length === 0 && first === 'help') {
    return arrangeHelp(program, rest, found.options);
  }
  if (found.names.length === 0 && (first === '-V' || first === '-v')) {
    return { argv: ['--version'], command };
  }
  return { argv: [...found.names, ...found.options, ...argv.slice(found.read)], command };
}

function arrangeHelp(
  program: Command,
  words: readonly string[],
  options: readonly string[],
): ArrangedWords {
  const { names, target, read } = walk(program, words);
  const command = ['orange', ...names].join(' ');
  const unread = words.slice(read).filter((word) => !word.startsWith('-'));
  const isUnknown = unread.length > 0 && target.commands.length > 0;
  return isUnknown
    ? { argv: [...names, ...unread, ...(names.length === 0 ? options : [])], command }
    : { argv: [...names, '--help'], command };
}

type Found = {
  readonly target: Command;
  readonly names: readonly string[];
  readonly options: readonly string[];
  /** How many words were read. */
  readonly read: number;
};

/** Follows the names of commands from the top, past the program's own options. */
function walk(program: Command, argv: readonly string[]): Found {
  let target = program;
  const names: string[] = [];
  const options: string[] = [];
  let read = 0;
  while (target.commands.length > 0) {
    const word = argv[read] ?? '';
    const length = optionLength(word);
    const below = target.commands.find((command) => command.name() === word);
    if (length > 0) {
      options.push(...argv.slice(read, read + length));
      read += length;
    } else if (below !== undefined) {
      target = below;
      names.push(word);
      read += 1;
    } else {
      break;
    }
  }
  return { target, names, options, read };
}

/** How many words one of the program's own options takes; 0 for any other word. */
function optionLength(word: string): number {
  if (word === '-p' || word === '--project') return 2;
  return /^(--json|--all|-a|-p.+|--project=.*)$/.test(word) ? 1 : 0;
}
