import type { Result } from './result.js';
import type { RestorePlace, Restored, SalvageEntry } from './salvage.js';

/** Work that was kept under salvage refs before something would have lost it. */
export interface SalvageStore {
  /** Oldest first, dropped ones too. */
  list(repository: string): Promise<Result<readonly SalvageEntry[]>>;
  show(request: {
    readonly repository: string;
    readonly ref: string;
    readonly form: 'stat' | 'full';
  }): Promise<Result<string>>;
  /** Brings work back byte for byte, at a place where nothing is lost by it; refuses any other. */
  restore(request: {
    readonly repository: string;
    readonly ref: string;
    readonly place: RestorePlace;
  }): Promise<Result<Restored>>;
  /** Marks as not needed any more; it can be restored until it is removed. Safe to repeat. */
  drop(request: {
    readonly repository: string;
    readonly ref: string;
  }): Promise<Result<SalvageEntry>>;
  /** Removes for good, if it still is what the caller saw. */
  remove(request: {
    readonly repository: string;
    readonly entry: SalvageEntry;
  }): Promise<Result<void>>;
}
