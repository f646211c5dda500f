import { failed, success, type Result } from '../domain/result.js';
import type { CommandContext } from './command-context.js';

/** A text given as an argument, where `-` stands for standard input. */
export async function readText(
  context: Pick<CommandContext, 'terminal'>,
  argument: string,
  value: string,
): Promise<Result<string>> {
  if (value !== '-') return success(value);
  const text = await context.terminal.readInput();
  if (text === null || text.includes('\0')) {
    return failed({
      kind: 'invalid-argument',
      argument,
      value: '-',
      rule: 'standard input must be UTF-8 text',
    });
  }
  if (text.trim() === '') {
    return failed({
      kind: 'invalid-argument',
      argument,
      value: '-',
      rule: 'standard input is empty',
    });
  }
  return success(text.replace(/\r\n/g, '\n').replace(/\n+$/, ''));
}
