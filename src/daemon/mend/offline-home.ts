import type { EventDraft } from '../../domain/history-event.js';
import type { Finding, Mended, MendOrder, MendReport } from '../../domain/finding.js';
import { failed, success, type Result } from '../../domain/result.js';
import { formatEvent } from '../../record/history-log.js';
import { appendHistory } from '../history-writer.js';
import type { LiveWorld } from '../live-world.js';
import { openHome, type Home } from '../open-home.js';
import { PoolKeeper } from '../pool-keeper.js';
import { replayOutbox } from '../replay-outbox.js';
import { Mender } from './mender.js';
import { openQuietHome, readQuietHome, type Place, type QuietHome } from './quiet-home.js';
import { surveyWorktrees } from './survey-worktrees.js';
import { lookAround } from './take-survey.js';

/** A home without its daemon: looked at by anybody, mended by whoever gets its lock. */
export type OfflineHome = {
  diagnose(): Promise<Result<readonly Finding[]>>;
  mend(order: MendOrder): Promise<Result<MendReport>>;
};

export function openOfflineHome(place: Place): OfflineHome {
  return {
    diagnose: async () => {
      const opened = readQuietHome(place);
      if (!opened.ok) return opened;
      return success((await lookAround(opened.value, 'whole')).findings);
    },
    mend: async (order) => {
      const home = await openHome({ ...place, onLost: () => undefined });
      if (!home.ok) return home;
      try {
        return await mendHome(home.value, place, order);
      } finally {
        await home.value.log.close();
        await home.value.lock.release();
      }
    },
  };
}

async function mendHome(home: Home, place: Place, order: MendOrder): Promise<Result<MendReport>> {
  const completed = completeMoves(home);
  if (!completed.ok) return completed;
  const opened = openQuietHome(home, place);
  if (!opened.ok) return opened;
  await trustIdleWorktrees(opened.value);
  const { world, settings } = opened.value;
  const mender = new Mender({
    ...opened.value,
    pool: new PoolKeeper(home.poolFile, home.log),
    note: (taskId, event) => noteInHistory(home, world, taskId, event),
    onKept: ({ taskId, transcript, sections }) =>
      noteInHistory(home, world, taskId, {
        type: 'edit.kept',
        transcript,
        sections: [...sections],
      }),
    passingMs: 0,
    isBusyWith: () => false,
    respawn: async () => failed(ONLY_A_DAEMON),
    restoreFile: async () => failed(ONLY_A_DAEMON),
    reloadSettings: () => settings.reload(),
    // Only a daemon judges.
    judge: () => undefined,
    refresh: () => undefined,
    onMended: () => undefined,
  });
  const report = await mender.mend(order);
  return success({ ...report, done: [...completed.value, ...report.done] });
}

const ONLY_A_DAEMON = {
  kind: 'unsupported',
  what: 'starting agents without the daemon',
  instead: 'orange daemon start',
} as const;

/** Drops intents that never came true and completes the histories of the others, as a daemon would. */
function completeMoves(home: Home): Result<readonly Mended[]> {
  const before = home.outbox.list();
  if (!before.ok) return before;
  const replayed = replayOutbox(home);
  if (!replayed.ok) return replayed;
  const { owed, stuck } = replayed.value;
  const count = before.value.entries.length - owed.length - stuck.length;
  if (count <= 0) return success([]);
  const message = `settled ${count === 1 ? 'a move that was' : `${count} moves that were`} cut off`;
  home.log.write({ event: 'mend.outbox', level: 'warn', message });
  return success([{ class: 'outbox', message, task_id: null, path: home.paths.outboxDir }]);
}

/** Worktrees that are what an idle one must be need no pool file to be known as free. */
async function trustIdleWorktrees(parts: QuietHome): Promise<void> {
  for (const { workspace, state } of await surveyWorktrees(parts, 'whole')) {
    const isIdle = state.kind === 'worktree' && state.unrest === null;
    if (isIdle) parts.world.quarantined.delete(workspace);
  }
}

function noteInHistory(home: Home, world: LiveWorld, taskId: string, event: EventDraft): void {
  const project = world.tasks.get(taskId)?.fields.project;
  if (project === undefined) return;
  const line = formatEvent(event, new Date().toISOString());
  const noted = appendHistory(home.history, home.paths.historyFile(project, taskId), [line]);
  if (!noted.ok) home.log.write({ event: 'mend.not-noted', level: 'error', task: taskId });
}
