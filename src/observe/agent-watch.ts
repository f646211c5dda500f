import { classifyScreen, type ScreenState } from '../harness/screen-signs.js';
import type { AgentPlace, Clock, Files, Sessions } from '../ports.js';
import { readActivityStamps, type ActivityFiles } from './activity-stamps.js';
import { digestScreen } from './screen-digest.js';

type Parts = {
  readonly files: Files;
  readonly sessions: Pick<Sessions, 'capture'>;
  readonly clock: Clock;
};

export type WatchedPlace = {
  readonly place: AgentPlace;
  readonly harness: string;
  readonly files: ActivityFiles;
};

/** What one look at an agent has shown. */
export type Sighting = {
  /** Whether it has done anything since the look before, turning spinners aside. */
  readonly isActive: boolean;
  /** What its screen shows now; `unknown` also when it was not read because files say enough. */
  readonly screen: ScreenState;
};

type Screen = {
  readonly digest: string;
  readonly state: ScreenState;
  /** The second of the last output when it was read, and the second of the reading. */
  readonly outputAt: number;
  readonly takenAt: number;
};

/** Looks at one agent from outside: stamps of its files, and its screen where that has changed. */
export class AgentWatch {
  readonly #parts: Parts;
  readonly #watched: WatchedPlace;
  #stamps: string | null = null;
  #screen: Screen | null = null;
  #settlesAtMs = 0;
  #ownUntilMs = Number.POSITIVE_INFINITY;
  #isSettled = true;

  constructor(parts: Parts, watched: WatchedPlace) {
    this.#parts = parts;
    this.#watched = watched;
  }

  /** What its screen shows before this moment is of orange's own making. */
  settleUntil(atMs: number): void {
    this.#settlesAtMs = atMs;
    this.#ownUntilMs = Number.POSITIVE_INFINITY;
    this.#isSettled = false;
  }

  /** What came to its screen by then, told by the clock on the wall, goes with a report. */
  settleAfterReport(atMs: number, wallMs: number): void {
    this.settleUntil(atMs);
    this.#ownUntilMs = wallMs;
  }

  /** Looks again; null when nothing could be seen. The first look finds nothing new. */
  async look(outputAt: number): Promise<Sighting | null> {
    const hasNewFiles = this.#haveFilesChanged();
    const before = this.#screen;
    if (before !== null && isAsItWas(before, outputAt)) {
      this.#takeAsItIs(outputAt);
      return { isActive: hasNewFiles, screen: before.state };
    }
    if (hasNewFiles && before !== null) return { isActive: true, screen: 'unknown' };
    const screen = await this.#read(outputAt);
    if (screen === null) return null;
    this.#screen = screen;
    const isOwn = this.#takeAsItIs(outputAt);
    const hasNewText = before !== null && !isOwn && before.digest !== screen.digest;
    return { isActive: hasNewFiles || hasNewText, screen: screen.state };
  }

  #haveFilesChanged(): boolean {
    const before = this.#stamps;
    this.#stamps = readActivityStamps(this.#parts.files, this.#watched.files);
    return before !== null && before !== this.#stamps;
  }

  /** Whether the screen is to be taken as it is; however late it comes, the first look after the moment still does. */
  #takeAsItIs(outputAt: number): boolean {
    const isOwn = !this.#isSettled && outputAt * 1000 <= this.#ownUntilMs;
    this.#isSettled = this.#parts.clock.monotonicMs() >= this.#settlesAtMs;
    return isOwn;
  }

  async #read(outputAt: number): Promise<Screen | null> {
    const { clock, sessions } = this.#parts;
    const { place, harness } = this.#watched;
    const takenAt = Math.floor(clock.nowMs() / 1000);
    const shown = await sessions.capture(place, SCREEN_LINES);
    if (!shown.ok) return null;
    const state = classifyScreen(harness, shown.value);
    // Hints and counters below the prompt change while nothing is done.
    const told = state === 'idle' ? withoutFooter(shown.value) : shown.value;
    return { digest: digestScreen(told), state, outputAt, takenAt };
  }
}

const SCREEN_LINES = 60;
const FOOTER_LINES = 6;

// The terminal tells whole seconds: what came in the second of the reading may have come after it.
function isAsItWas(screen: Screen, outputAt: number): boolean {
  return screen.outputAt === outputAt && outputAt < screen.takenAt;
}

function withoutFooter(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.trim() !== '').slice(0, -FOOTER_LINES);
}
