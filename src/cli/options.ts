import { type Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { PRIORITIES } from '../domain/extensions.js';
import { nearestNames } from './nearest-names.js';
import { isStatus, STATUSES, type Status } from '../domain/status.js';

export type JsonOption = { readonly json?: boolean };

/** Every command can answer in JSON. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print the result as JSON');
}

export type PagerOption = { readonly pager: boolean };

/** What may be longer than a screen goes to the person's pager. */
export function withPager(command: Command): Command {
  return command.option('--no-pager', 'print everything at once, however long');
}

/** What cannot be taken back asks first. */
export function withYes(command: Command): Command {
  return command.option('-y, --yes', 'do not ask');
}

export function withProject(command: Command): Command {
  return command.option('-p, --project <name>', 'project (default: the one of this directory)');
}

/** Collects a repeatable option; each value may itself be a comma-separated list. */
export function collectList(value: string, earlier: readonly string[] = []): readonly string[] {
  const items = value.split(',').map((item) => item.trim());
  return [...earlier, ...(value.trim() === '' ? [''] : items.filter((item) => item !== ''))];
}

/** Like `collectList`, for words out of a list. */
export function collectFrom(words: readonly string[]) {
  return (value: string, earlier: readonly string[] = []): readonly string[] => {
    const given = collectList(value).map(plainPriority);
    if (!given.every((word) => words.includes(word))) {
      throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}.`);
    }
    return [...earlier, ...given];
  };
}

/** One of the priorities; `medium` is taken as another word for normal, and offered nowhere. */
export function parsePriority(value: string): string {
  const priority = plainPriority(value);
  if (PRIORITIES.some((each) => each === priority)) return priority;
  throw new InvalidArgumentError(`Allowed choices are ${PRIORITIES.join(', ')}.`);
}

function plainPriority(word: string): string {
  return word === 'medium' ? 'normal' : word;
}

export function collectStatuses(value: string, earlier: readonly Status[] = []): readonly Status[] {
  return [...earlier, ...collectList(value).map(parseStatus)];
}

export function parseStatus(value: string): Status {
  if (isStatus(value)) return value;
  throw notAmong(value, STATUSES);
}

export function parseWhole(limits: { readonly min: number; readonly max: number }) {
  return (value: string): number => {
    const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= limits.min && number <= limits.max) return number;
    throw new InvalidArgumentError(
      `It must be a whole number from ${limits.min} to ${limits.max}.`,
    );
  };
}

export function parseSeconds(value: string): number {
  const number = /^[0-9]{1,8}(\.[0-9]{1,3})?$/.test(value) ? Number(value) : Number.NaN;
  if (number >= 0) return number;
  throw new InvalidArgumentError('It must be a number of seconds.');
}

export function parseMinutes(value: string): number {
  return parseWhole({ min: 0, max: 525_600 })(value);
}

export function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).argParser((value: string) => {
    if (value.startsWith('-')) throw missingArgument(flags);
    if (!choices.includes(value)) throw notAmong(value, choices);
    return value;
  });
}

/** No choice looks like an option: what comes next is another one, and the choice was forgotten. */
function missingArgument(flags: string): CommanderError {
  const message = `error: option '${flags}' argument missing`;
  return new CommanderError(1, 'commander.optionMissingArgument', message);
}

/** What follows the line break is shown as the hint. */
function notAmong(value: string, choices: readonly string[]): InvalidArgumentError {
  const [near] = nearestNames(value, choices);
  const hint = near === undefined ? '' : `\n(Did you mean ${near}?)`;
  return new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.${hint}`);
}
