import { render } from 'ink';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Result } from '../domain/result.js';
import { DEFAULT_SETTINGS, type MergeStrategy } from '../domain/settings.js';
import type { ProjectView } from '../domain/task-view.js';
import { Dashboard, type DashboardProps } from './components/dashboard.js';
import type { DashboardClient } from './dashboard-client.js';
import type { LastScreen } from './dashboard-context.js';
import type { Limits } from './detail-view.js';
import { oneLine } from './display-text.js';
import { keyPresser } from './press-key.js';
import { releaseInput } from './release-input.js';
import { jobRunner } from './run-jobs.js';
import { type SnapshotFeed, startSnapshotFeed } from './snapshot-feed.js';
import { createStore } from './store.js';
import { type TerminalScreen, terminalScreen } from './terminal-screen.js';
import { initialUiState, reduceUi } from './ui-state.js';
import { windowSize } from './use-window-size.js';

export type DashboardInput = {
  readonly client: DashboardClient;
  /** The project to show first; null shows all of them. */
  readonly project: string | null;
  readonly showAll: boolean;
  /** The repository the person stands in, where that is no project. */
  readonly unregistered?: string | null;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  /** Runs with the terminal to itself; gives a message to show afterwards, or null. */
  attach(target: { readonly session: string }): Promise<string | null>;
  readTaskFile(taskId: string): Promise<string>;
  /** What is stored of the screen of an agent that has ended; null when there is nothing. */
  readLastScreen(taskId: string): Promise<LastScreen | null>;
  /** What `orange task diff --full` shows. */
  readDiff(taskId: string): Promise<Result<string>>;
  readonly clock: { nowMs(): number };
  /** What crash and round counts are shown against; the defaults when absent. */
  readonly limits?: Limits;
  /** The strategy that the settings name for a project; the default when absent. */
  strategyFor?(project: ProjectView): MergeStrategy;
  /** `plain` where NO_COLOR is set; colours when absent. */
  readonly colors?: 'colors' | 'plain';
  /** Ends the dashboard from outside, as `q` does. */
  readonly signal?: AbortSignal;
};

/** What the person wants next when a mounted dashboard ends. */
type Ending = { readonly kind: 'quit' } | { readonly kind: 'attach'; readonly session: string };

/** Shows the dashboard until the person quits; the terminal is then as it was before. */
export async function openDashboard(input: DashboardInput): Promise<void> {
  const { stdin, stdout } = input;
  const screen = terminalScreen(input);
  const feed = startSnapshotFeed(input.client, undefined, (words) => screen.ring(oneLine(words)));
  const ui = createStore(
    initialUiState({ ...input, unregistered: input.unregistered ?? null }),
    reduceUi,
  );
  const life: Life = { isOver: input.signal?.aborted ?? false, mounted: null };
  const end = (ending: Ending) => life.mounted?.end(ending);
  const quit = () => {
    life.isOver = true;
    end({ kind: 'quit' });
  };
  const onKey = keyPresser({
    ...input,
    ui,
    feed,
    quit,
    repaint: screen.repaint,
    strategyFor: (name) => strategyFor(input, feed, name),
    runJob: jobRunner(input.client, ui),
    size: () => windowSize(stdout),
    attach: (session) => end({ kind: 'attach', session }),
  });
  const limits = input.limits ?? DEFAULT_SETTINGS.policy;
  const parts = { feed, ui, limits, onKey, terminal: stdout, clock: input.clock };
  const stopWatching = watchForEnd(input, quit);
  repaintAfterTrouble(feed, screen);
  try {
    while (!life.isOver) {
      life.mounted = mount(screen, stdin, parts);
      const ending = await life.mounted.ended;
      if (ending.kind === 'quit') return;
      await releaseInput(stdin);
      const text = await input.attach({ session: ending.session });
      if (text !== null) {
        ui.dispatch({ kind: 'told', message: { tone: 'plain', text: oneLine(text), hint: null } });
      }
    }
  } finally {
    screen.leave();
    feed.stop();
    await releaseInput(stdin);
    stopWatching();
  }
}

function strategyFor(input: DashboardInput, feed: SnapshotFeed, name: string): MergeStrategy {
  const project = feed.get().snapshot?.projects.find((view) => view.name === name);
  const named = project === undefined ? undefined : input.strategyFor?.(project);
  return named ?? DEFAULT_SETTINGS.merge.strategy;
}

/** The dashboard between two attaches. */
type Mounted = { readonly ended: Promise<Ending>; readonly end: (ending: Ending) => void };
type Life = { isOver: boolean; mounted: Mounted | null };

function mount(
  screen: TerminalScreen,
  stdin: ReadStream,
  parts: Omit<DashboardProps, 'onUnmount'>,
): Mounted {
  let ending: Ending = { kind: 'quit' };
  screen.enter();
  const app = render(<Dashboard {...parts} onUnmount={screen.leave} />, {
    stdin,
    stdout: screen.output,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    ended: app.waitUntilExit().then(() => ending),
    end: (wanted) => {
      ending = wanted;
      app.unmount();
    },
  };
}

// Starting a daemon may have left words on the screen.
function repaintAfterTrouble(feed: SnapshotFeed, screen: TerminalScreen): void {
  let last = feed.get().connection.kind;
  feed.subscribe(() => {
    const { kind } = feed.get().connection;
    if (kind !== last) screen.repaint();
    last = kind;
  });
}

// A terminal that is gone (EPIPE, end of input) ends the dashboard like `q`, not with a crash.
function watchForEnd(input: DashboardInput, quit: () => void): () => void {
  const { stdin, stdout, signal } = input;
  stdout.on('error', quit);
  stdin.on('error', quit);
  stdin.on('end', quit);
  signal?.addEventListener('abort', quit);
  return () => {
    stdin.off('error', quit);
    stdin.off('end', quit);
    signal?.removeEventListener('abort', quit);
    // The stream may report the same broken pipe once more, after the last write.
    stdout.off('error', quit);
    stdout.on('error', () => {});
  };
}
