import type { CheckRun, CheckStage } from '../domain/check-run.js';
import type { EventDraft } from '../domain/history-event.js';

/** One event per command that was run. */
export function checkEvents(stage: CheckStage, checks: readonly CheckRun[]): readonly EventDraft[] {
  return checks.map(({ command, result, exitStatus, durationMs }) => ({
    type: 'check.ran',
    stage,
    command,
    result,
    exit_status: exitStatus,
    duration_ms: durationMs,
  }));
}
