import { patternsMeet } from './patterns-meet.js';
import type { Pattern, Scope } from './scope.js';

type Entry = { readonly holder: string; readonly pattern: Pattern; readonly text: string };

type Node = { readonly below: Map<string, Node>; readonly here: Entry[] };

/** A scope of the one who asks, and who else has something of it. */
export type Meeting = {
  readonly holder: string;
  /** The words of the one who asks. */
  readonly text: string;
  /** The words of the holder. */
  readonly held: string;
  readonly kind: Scope['kind'];
};

/**
 * Who holds what, as a tree of names. Looking something up goes along its own path and through what
 * lies below, so it does not get slower by what others hold elsewhere.
 */
export class ScopeIndex {
  readonly #root: Node = newNode();
  readonly #areas = new Map<string, Set<string>>();

  add(holder: string, scopes: readonly Scope[]): void {
    for (const scope of scopes) {
      if (scope.kind === 'area') {
        const holders = this.#areas.get(scope.text) ?? new Set();
        this.#areas.set(scope.text, holders.add(holder));
      } else {
        for (const pattern of scope.patterns) {
          this.#nodeFor(pattern).here.push({ holder, pattern, text: scope.text });
        }
      }
    }
  }

  /** Where others have what these scopes name; of at most so many others. */
  find(
    scopes: readonly Scope[],
    { except, most }: { readonly except: string; readonly most: number },
  ): readonly Meeting[] {
    const found: Meeting[] = [];
    const holders = new Set<string>();
    for (const scope of scopes) {
      const seen = new Set<string>();
      let looks = 0;
      for (const { holder, held } of this.#meeting(scope)) {
        looks += 1;
        // Where everybody holds the same, a few of them say enough.
        if (looks > LOOKS_PER_HOLDER * most) break;
        if (holder === except || seen.has(holder)) continue;
        if (!holders.has(holder) && holders.size >= most) continue;
        seen.add(holder);
        holders.add(holder);
        found.push({ holder, text: scope.text, held, kind: scope.kind });
        if (seen.size >= most) break;
      }
    }
    return found;
  }

  /** Whether anybody has this. */
  covers(pattern: Pattern): boolean {
    return this.#entriesFor(pattern).next().done !== true;
  }

  *#meeting(scope: Scope): Generator<{ readonly holder: string; readonly held: string }> {
    if (scope.kind === 'area') {
      for (const holder of this.#areas.get(scope.text) ?? []) yield { holder, held: scope.text };
      return;
    }
    for (const pattern of scope.patterns) {
      for (const { holder, text } of this.#entriesFor(pattern)) yield { holder, held: text };
    }
  }

  *#entriesFor(pattern: Pattern): Generator<Entry> {
    let node: Node | undefined = this.#root;
    for (const name of pattern.segments.slice(0, pattern.literal)) {
      yield* meetingAt(node, pattern);
      node = node.below.get(name);
      if (node === undefined) return;
    }
    yield* meetingBelow(node, pattern);
  }

  #nodeFor({ segments, literal }: Pattern): Node {
    let node = this.#root;
    for (const name of segments.slice(0, literal)) {
      const next = node.below.get(name) ?? newNode();
      node.below.set(name, next);
      node = next;
    }
    return node;
  }
}

const LOOKS_PER_HOLDER = 20;

function newNode(): Node {
  return { below: new Map(), here: [] };
}

function* meetingAt({ here }: Node, pattern: Pattern): Generator<Entry> {
  for (const entry of here) {
    if (patternsMeet(entry.pattern, pattern)) yield entry;
  }
}

function* meetingBelow(node: Node, pattern: Pattern): Generator<Entry> {
  const left = [node];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    yield* meetingAt(next, pattern);
    for (const child of next.below.values()) left.push(child);
  }
}
