import type { Failure } from '../domain/failure.js';
import { isRecord } from './field-rules.js';
import type { Rule } from './field-rules.js';

/** One rule for every field of a message but the one that names its kind. */
export type FieldRules<T, Named extends string> = {
  readonly [Field in Exclude<keyof T, Named>]-?: Rule;
};

/** The first field that is unknown or breaks its rule, as a failure; null when all is well. */
export function checkFields(input: {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The field that says which rules apply; it has been looked at already. */
  readonly named: string;
  readonly rules: Readonly<Record<string, Rule>>;
}): Failure | null {
  const { fields, named, rules } = input;
  const stray = Object.keys(fields).find((key) => key !== named && !Object.hasOwn(rules, key));
  if (stray !== undefined) return invalidArgument(stray, fields[stray], 'unknown here');
  for (const [argument, rule] of Object.entries(rules)) {
    const value = Object.hasOwn(fields, argument) ? fields[argument] : undefined;
    const broken = rule(value);
    if (broken !== null) return invalidArgument(argument, value, broken);
  }
  return null;
}

/** The failure for an argument, with no more of its value than a person needs to recognise it. */
export function invalidArgument(argument: string, value: unknown, rule: string): Failure {
  return { kind: 'invalid-argument', argument: clip(argument), value: show(value), rule };
}

function show(value: unknown): string {
  if (typeof value === 'string') return clip(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  return isRecord(value) ? 'an object' : '';
}

function clip(text: string): string {
  const printable = text.slice(0, SHOWN + 1).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?');
  return text.length > SHOWN ? `${printable.slice(0, SHOWN)}…` : printable;
}

const SHOWN = 80;
