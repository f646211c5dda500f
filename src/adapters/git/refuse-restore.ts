import { failed } from '../../domain/result.js';
import type { RestoreRefusal, SalvageEntry } from '../../domain/salvage.js';

/** The answer to a wish to restore where something could be lost. */
export function refuseRestore(
  { ref }: SalvageEntry,
  reason: RestoreRefusal,
  place: string,
): ReturnType<typeof failed> {
  return failed({ kind: 'restore-refused', ref, reason, place });
}
