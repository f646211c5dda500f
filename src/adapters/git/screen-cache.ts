import { isAbsolute, join, resolve } from 'node:path';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { Files } from '../../ports.js';
import type { Environment } from './git-environment.js';
import { findPersonalFiles } from './personal-files.js';
import type { ScreenedSettings } from './untrusted-settings.js';

const MAX_CONFIG_BYTES = 1024 * 1024;
/** Files that the person's own configuration includes are looked at again after this long. */
const LONGEST_MS = 5000;

type Kept = { readonly stamps: string; readonly atMs: number; readonly screened: ScreenedSettings };

/** Remembers what was found in a repository's configuration, for as long as its files stay as they are. */
export class ScreenCache {
  readonly #files: Files;
  readonly #personal: readonly string[];
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, Kept>();

  constructor(files: Files, env: Environment, nowMs: () => number) {
    this.#files = files;
    this.#personal = findPersonalFiles(env).settings;
    this.#nowMs = nowMs;
  }

  /** What was found in a directory before, or what `look` finds there now. */
  async recall(
    directory: string,
    look: () => Promise<Result<ScreenedSettings>>,
  ): Promise<Result<ScreenedSettings>> {
    const stamps = this.#stampOf(directory);
    if (stamps === null) return look();
    const kept = this.#kept.get(directory);
    const isNew = kept !== undefined && this.#nowMs() - kept.atMs <= LONGEST_MS;
    if (isNew && kept.stamps === stamps) return success(kept.screened);
    const found = await look();
    if (!found.ok) return found;
    if (this.#kept.size > MAX_KEPT) this.#kept.clear();
    this.#kept.set(directory, { stamps, atMs: this.#nowMs(), screened: found.value });
    return found;
  }

  /** A word for the configuration as it is now; null where nobody can say what belongs to it. */
  #stampOf(directory: string): string | null {
    const place = this.#findGitDirectories(directory);
    if (place === null) return null;
    const own = [join(place.common, 'config'), join(place.own, 'config.worktree')];
    // What a repository includes may lie anywhere, and change there.
    if (own.some((path) => this.#mentionsInclude(path))) return null;
    return [...own, ...this.#personal].map((path) => this.#stamp(path)).join('|');
  }

  #findGitDirectories(directory: string): { readonly own: string; readonly common: string } | null {
    const path = join(directory, '.git');
    const state = this.#files.stat(path);
    if (!state.ok) return null;
    if (state.value.kind === 'directory') return { own: path, common: path };
    if (state.value.kind !== 'file') return null;
    const pointer = this.#read(path);
    const target = pointer === null ? undefined : /^gitdir: (.+)\n?$/.exec(pointer)?.[1];
    if (target === undefined) return null;
    const own = resolve(directory, target);
    const shared = this.#read(join(own, 'commondir'))?.trim();
    if (shared === undefined) return { own, common: own };
    return { own, common: isAbsolute(shared) ? shared : resolve(own, shared) };
  }

  #mentionsInclude(path: string): boolean {
    const state = this.#files.stat(path);
    if (state.ok && state.value.kind === 'absent') return false;
    const text = this.#read(path);
    return text === null || /include/i.test(text);
  }

  #stamp(path: string): string {
    const state = this.#files.stat(path);
    if (!state.ok) return state.failure.kind;
    const { value } = state;
    if (value.kind === 'file') return Object.values(value.stamp).join(',');
    return value.kind === 'link' ? `link ${value.target} ${this.#stamp(value.target)}` : value.kind;
  }

  #read(path: string): string | null {
    const read = this.#files.readText(path, MAX_CONFIG_BYTES, 'lossy');
    return read.ok ? read.value.text : null;
  }
}

const MAX_KEPT = 500;
