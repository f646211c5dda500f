import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessTable } from '../adapters/process-table.js';
import { findRecorder } from '../doctor/lost-records.js';
import type { LaunchedProcess } from '../doctor/survey.js';
import type { LostAgents, LostLaunch } from '../observe/observe-agents.js';
import type { Files, Log, Sessions } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { restoreRecord } from './mend/adopt-launches.js';

type Parts = {
  readonly files: Files;
  readonly paths: Paths;
  readonly log: Log;
  readonly sessions: Pick<Sessions, 'list'>;
  readonly processes: ProcessTable;
  readonly pauseMs?: number;
};

/**
 * Looks among terminals and processes for agents that were known to live and whose launch records
 * are gone. Whoever is found gets the record back; that somebody is gone counts when seen twice.
 */
export class LostLaunches implements LostAgents {
  readonly #parts: Parts;
  readonly #searches = new Map<string, 'under-way' | 'gone'>();
  /** Launches of which it was logged that they cannot have their record back. */
  readonly #complained = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  isGone(lost: LostLaunch): boolean {
    const { launchId } = lost;
    const search = this.#searches.get(launchId);
    if (search === undefined) void this.#search(lost);
    if (search !== 'gone') return false;
    this.#searches.delete(launchId);
    this.#complained.delete(launchId);
    return true;
  }

  async #search(lost: LostLaunch): Promise<void> {
    const { launchId } = lost;
    this.#searches.set(launchId, 'under-way');
    const isAbsent = await this.#isAbsent(lost);
    // A process that is just starting another program shows no mark for a moment.
    await this.#rest();
    if (isAbsent && (await this.#isAbsent(lost))) this.#searches.set(launchId, 'gone');
    else this.#searches.delete(launchId);
  }

  /** Whether neither a terminal nor a process of the launch is there; one that is gets its record. */
  async #isAbsent(lost: LostLaunch): Promise<boolean> {
    const { paths, processes, sessions } = this.#parts;
    const launched = await processes.findLaunched(paths.home);
    const listed = await sessions.list();
    const session = listed.ok
      ? listed.value.find(({ launches }) =>
          launches.some(({ launchId }) => launchId === lost.launchId),
        )
      : undefined;
    const members = launched.ok
      ? launched.value.filter(({ launchId }) => launchId === lost.launchId)
      : [];
    if (session !== undefined) {
      this.#restore(lost, session.session, members);
      return false;
    }
    return launched.ok && (members.length === 0 || (listed.ok && members.every(isLeftBehind)));
  }

  #restore(lost: LostLaunch, session: string, members: readonly LaunchedProcess[]): void {
    const { taskId: task, window, launchId: launch } = lost;
    const recorder = findRecorder(members, launch);
    if (recorder === null) return;
    const restored = restoreRecord(this.#parts, { ...lost, session, recorder });
    if (!restored.ok && this.#complained.has(launch)) return;
    if (restored.ok) this.#complained.delete(launch);
    else this.#complained.add(launch);
    const event = restored.ok ? 'mend.launch-record' : 'mend.failed';
    this.#parts.log.write({ event, level: 'warn', class: 'launch-record', task, window, launch });
  }

  async #rest(): Promise<void> {
    await pause(this.#parts.pauseMs ?? PAUSE_MS, undefined, { ref: false });
  }
}

const PAUSE_MS = 1000;

/** The launcher, which would be above it, has ended. */
function isLeftBehind({ recorder }: LaunchedProcess): boolean {
  return recorder === 'none';
}
