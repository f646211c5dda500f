import { isMap, isScalar, isSeq, type Pair } from 'yaml';
import type { Diagnostic } from '../domain/diagnostic.js';
import { errorAt, type DiagnosticCode } from './diagnostic-codes.js';
import { nearestWord } from './nearest-word.js';
import { keyOf, lineOf, RESERVED_KEY, startOf, valueOf } from './yaml-value.js';

/** What a key may hold, in words for the user, and how to read it; undefined means wrong. */
export type Kind<T> = {
  readonly wants: string;
  readonly read: (node: unknown) => T | undefined;
};

/** Reads a settings document key by key; what is wrong is reported and keeps its old value. */
export class SettingsReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #text: string;
  readonly #file: string;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  /** The entries of a map whose keys are known; an absent or empty map has none. */
  section(node: unknown, path: string, keys: readonly string[]): Section {
    const entries = this.#entries(node, path);
    for (const [key, pair] of entries) {
      if (!keys.includes(key)) this.#unknownKey(pair, join(path, key), { key, keys });
    }
    return new Section(this, path, entries);
  }

  /** The entries of a map whose keys the user invents. */
  named(node: unknown, path: string): ReadonlyMap<string, Pair> {
    return this.#entries(node, path);
  }

  value<T>(pair: Pair | undefined, path: string, options: { kind: Kind<T>; keep: T }): T {
    if (pair === undefined) return options.keep;
    const value = options.kind.read(pair.value);
    if (value !== undefined) return value;
    this.wrong(pair, path, options.kind.wants);
    return options.keep;
  }

  wrong(pair: Pair, path: string, wants: string): void {
    this.report('ORA082', pair.key, {
      message: `${path} is not valid`,
      fix: `${path} takes ${wants}`,
    });
  }

  report(
    code: DiagnosticCode,
    node: unknown,
    words: { readonly message: string; readonly fix: string },
  ): void {
    const line = lineOf(this.#text, startOf(node));
    this.diagnostics.push(errorAt(code, { file: this.#file, line, ...words }));
  }

  #entries(node: unknown, path: string): ReadonlyMap<string, Pair> {
    if (node === undefined || node === null || valueOf(node) === null) return new Map();
    if (!isMap(node)) {
      const message = path === '' ? 'the settings are not a map' : `${path} is not a map`;
      this.report('ORA082', node, { message, fix: 'write `key: value` lines' });
      return new Map();
    }
    return new Map(node.items.flatMap((pair) => namedPair(pair)));
  }

  #unknownKey(
    pair: Pair,
    path: string,
    { key, keys }: { readonly key: string; readonly keys: readonly string[] },
  ): void {
    const near = nearestWord(key, keys);
    const fix = near === null ? `known keys are ${keys.join(', ')}` : `did you mean ${near}?`;
    this.report('ORA081', pair.key, { message: `${path} is not a known setting`, fix });
  }
}

/** One map of the settings. */
export class Section {
  readonly #reader: SettingsReader;
  readonly #path: string;
  readonly #entries: ReadonlyMap<string, Pair>;

  constructor(reader: SettingsReader, path: string, entries: ReadonlyMap<string, Pair>) {
    this.#reader = reader;
    this.#path = path;
    this.#entries = entries;
  }

  read<T>(key: string, kind: Kind<T>, keep: T): T {
    return this.#reader.value(this.#entries.get(key), join(this.#path, key), { kind, keep });
  }

  node(key: string): unknown {
    return this.#entries.get(key)?.value;
  }

  pair(key: string): Pair | undefined {
    return this.#entries.get(key);
  }
}

export const FLAG: Kind<boolean> = {
  wants: 'true or false',
  read: (node) => {
    const text = plainText(node);
    return text === 'true' ? true : text === 'false' ? false : undefined;
  },
};

export const TEXTS: Kind<readonly string[]> = {
  wants: 'a list of texts, e.g. [one, two]',
  read: (node) => {
    if (!isSeq(node)) return undefined;
    const texts = node.items.map((item) => valueOf(item));
    return texts.every((text): text is string => typeof text === 'string') ? texts : undefined;
  },
};

export const ARGV: Kind<readonly string[]> = {
  wants: 'a list of texts: the program, then its arguments',
  read: (node) => {
    const texts = TEXTS.read(node);
    return texts === undefined || (texts[0] ?? '') === '' ? undefined : texts;
  },
};

export const TEXT_OR_NULL: Kind<string | null> = {
  wants: 'a text, or null',
  read: (node) => {
    const value = valueOf(node);
    return value === null || typeof value === 'string' ? value : undefined;
  },
};

export function oneOf<Word extends string>(words: readonly Word[]): Kind<Word> {
  return {
    wants: `one of ${words.join(', ')}`,
    read: (node) => words.find((word) => word === valueOf(node)),
  };
}

export function wholeNumber(min: number, max: number): Kind<number> {
  return {
    wants: `a whole number from ${min} to ${max}`,
    read: (node) => {
      const value = numberOf(node);
      return value !== undefined && Number.isInteger(value) && value >= min && value <= max
        ? value
        : undefined;
    },
  };
}

export function orNull<T>(kind: Kind<T>): Kind<T | null> {
  return {
    wants: `${kind.wants}, or null`,
    read: (node) => (valueOf(node) === null ? null : kind.read(node)),
  };
}

/** A number of at least `min`, fractions too. */
export function decimal(min: number): Kind<number> {
  return {
    wants: `a number of at least ${min}`,
    read: (node) => {
      const value = numberOf(node);
      return value !== undefined && value >= min ? value : undefined;
    },
  };
}

export const DECIMALS: Kind<readonly number[]> = {
  wants: 'a list of numbers that are not negative, e.g. [5, 30]',
  read: (node) => {
    if (!isSeq(node)) return undefined;
    const numbers = node.items.map((item) => decimal(0).read(item));
    return numbers.every((value): value is number => value !== undefined) ? numbers : undefined;
  },
};

export function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function namedPair(pair: Pair): readonly (readonly [string, Pair])[] {
  const key = keyOf(pair);
  return key === null || key === '' || key === RESERVED_KEY ? [] : [[key, pair]];
}

function plainText(node: unknown): string | undefined {
  return isScalar(node) && node.type === 'PLAIN' ? String(node.value) : undefined;
}

function numberOf(node: unknown): number | undefined {
  const text = plainText(node);
  return text !== undefined && /^[0-9]{1,9}(?:\.[0-9]{1,6})?$/.test(text)
    ? Number(text)
    : undefined;
}
