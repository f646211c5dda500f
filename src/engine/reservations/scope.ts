/** What one word of TOUCHING stands for. */
export type Scope =
  /** A part of the work that is no path: equal to the same words, and holding nobody up. */
  | { readonly kind: 'area'; readonly text: string }
  | { readonly kind: 'paths'; readonly text: string; readonly patterns: readonly Pattern[] };

/** Paths from the top of the repository, segment by segment. */
export type Pattern = {
  /** Literal names, names with `*` and `?`, and `**` for any number of segments, none too. */
  readonly segments: readonly string[];
  /** How many segments are literal from the start. */
  readonly literal: number;
  /** Whether it is a path without wildcards. */
  readonly isPlain: boolean;
};

/** Scopes of what somebody declared, each once; what lies outside the repository is left out. */
export function readScopes(texts: readonly string[]): readonly Scope[] {
  const known = new Map<string, Scope>();
  for (const text of texts.slice(0, MAX_SCOPES)) {
    const scope = readScope(text);
    if (scope !== null && !known.has(scope.text)) known.set(scope.text, scope);
  }
  return [...known.values()];
}

/**
 * One scope. A path stands for itself and for everything below it, whether or not it is there yet;
 * a glob only for what it matches. Null: it names nothing inside the repository.
 */
export function readScope(text: string): Scope | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_LENGTH) return null;
  if (/\s/.test(trimmed) && !/[/.]/.test(trimmed)) {
    return { kind: 'area', text: trimmed.replace(/\s+/g, ' ') };
  }
  const segments = normalise(trimmed);
  if (segments === null || segments.length > MAX_SEGMENTS) return null;
  // To a glob a path is a file if it is named like one; to another path it makes no difference.
  const isFile = isGlob(trimmed) || /[^.].*\./.test(segments.at(-1) ?? '');
  const isOpen = trimmed.endsWith('/') || !isFile;
  const patterns = expandBraces(segments.join('/')).map((path) => toPattern(path, isOpen));
  return { kind: 'paths', text: segments.join('/') || '.', patterns };
}

/** Exactly one file. */
export function filePattern(path: string): Pattern {
  const segments = path.split('/').filter((segment) => segment !== '');
  return { segments, literal: segments.length, isPlain: true };
}

const MAX_SCOPES = 500;
const MAX_LENGTH = 1024;
const MAX_SEGMENTS = 64;
const MAX_ALTERNATIVES = 32;

function toPattern(path: string, isOpen: boolean): Pattern {
  const named = path.split('/').filter((segment) => segment !== '');
  const wild = named.findIndex((segment) => /[*?]/.test(segment));
  const segments = isOpen ? [...named, '**'] : named;
  const isPlain = wild === -1;
  return { segments, literal: isPlain ? named.length : wild, isPlain };
}

// Brackets are left alone: they are more often part of a name (`[id].tsx`) than a class.
function isGlob(text: string): boolean {
  return /[*?]|\{[^{}]*,[^{}]*\}/.test(text);
}

function normalise(text: string): readonly string[] | null {
  if (text.startsWith('/') || text.startsWith('~')) return null;
  const segments: string[] = [];
  for (const segment of text.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return null;
  }
  return segments;
}

/** `a/{b,c}` as `a/b` and `a/c`; with too many alternatives a `*` stands for them. */
function expandBraces(path: string): readonly string[] {
  let expanded: readonly string[] = [path];
  for (;;) {
    const next = expanded.flatMap(expandFirst);
    if (next.length > MAX_ALTERNATIVES) return [path.replace(/\{[^{}]*,[^{}]*\}/g, '*')];
    if (next.length === expanded.length) return next;
    expanded = next;
  }
}

function expandFirst(path: string): readonly string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(path);
  if (found === null) return [path];
  const [whole, inside = ''] = found;
  const before = path.slice(0, found.index);
  const after = path.slice(found.index + whole.length);
  return inside.split(',').map((each) => `${before}${each}${after}`);
}
