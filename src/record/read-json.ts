import type { JsonValue } from '../domain/json.js';

/** A JSON value that remembers which line it began on. */
export type JsonNode = { readonly line: number; readonly value: JsonValue } & (
  | { readonly kind: 'scalar' }
  | { readonly kind: 'list'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, JsonNode> }
);

export type JsonReading =
  | { readonly ok: true; readonly root: JsonNode }
  | { readonly ok: false; readonly line: number; readonly problem: string };

export type JsonMap = { readonly [key: string]: JsonValue };

export function isJsonMap(value: JsonValue): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_DEPTH = 32;
// The last two alternatives take what is no token, so that every text has a next one.
const TOKEN =
  // oxlint-disable-next-line no-control-regex
  /[ \t\r\n]*([{}[\],:]|"(?:[^"\\\u0000-\u001F]|\\.)*"|[^\s{}[\],:"]+|$|"[^\n]*|[^])/y;

/** Parses strict JSON and says on which line it is wrong, which JSON.parse does not. */
export function readJson(text: string): JsonReading {
  try {
    const reader = new JsonReader(text.startsWith('\uFEFF') ? text.slice(1) : text);
    return { ok: true, root: reader.readDocument() };
  } catch (error) {
    if (error instanceof JsonProblem)
      return { ok: false, line: error.line, problem: error.message };
    throw error;
  }
}

class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

class JsonReader {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #token = '';

  constructor(text: string) {
    this.#text = text;
    this.#advance();
  }

  readDocument(): JsonNode {
    const root = this.#readValue(0);
    if (this.#token !== '') this.#fail('there is text after the end');
    return root;
  }

  #advance(): void {
    TOKEN.lastIndex = this.#at;
    const [whole = '', token = ''] = TOKEN.exec(this.#text) ?? [];
    this.#line += whole.split('\n').length - 1;
    this.#at += whole.length;
    this.#token = token;
  }

  #readValue(depth: number): JsonNode {
    if (depth > MAX_DEPTH) this.#fail('it is nested too deeply');
    if (this.#token === '{') return this.#readMap(depth);
    if (this.#token === '[') return this.#readList(depth);
    const line = this.#line;
    const value = this.#scalar();
    this.#advance();
    return { kind: 'scalar', line, value };
  }

  #readMap(depth: number): JsonNode {
    const line = this.#line;
    const entries = new Map<string, JsonNode>();
    this.#readItems('}', () => {
      const key = this.#token.startsWith('"') ? this.#scalar() : null;
      if (typeof key !== 'string') this.#fail('a key in double quotes is missing');
      if (entries.has(key)) this.#fail(`the key ${key} stands twice`);
      this.#advance();
      if (this.#token !== ':') this.#fail('a colon is missing');
      this.#advance();
      entries.set(key, this.#readValue(depth + 1));
    });
    const pairs = [...entries].map(([key, node]) => [key, node.value] as const);
    return { kind: 'map', line, entries, value: Object.fromEntries(pairs) };
  }

  #readList(depth: number): JsonNode {
    const line = this.#line;
    const items: JsonNode[] = [];
    this.#readItems(']', () => items.push(this.#readValue(depth + 1)));
    return { kind: 'list', line, items, value: items.map((item) => item.value) };
  }

  #readItems(close: '}' | ']', readItem: () => void): void {
    this.#advance();
    if (this.#token === close) {
      this.#advance();
      return;
    }
    for (;;) {
      readItem();
      const separator = this.#token;
      if (separator !== ',' && separator !== close) this.#fail(`a comma or ${close} is missing`);
      this.#advance();
      if (separator === close) return;
    }
  }

  #scalar(): JsonValue {
    try {
      const value: JsonValue = JSON.parse(this.#token);
      return value;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return this.#fail(
        this.#token === '' ? 'it ends too early' : 'a value is missing or misspelt',
      );
    }
  }

  #fail(message: string): never {
    throw new JsonProblem(this.#line, message);
  }
}
