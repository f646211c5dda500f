import { EventEmitter } from 'node:events';
import { render } from 'ink-testing-library';
import type { Change, Outcome } from '../../src/api/protocol.js';
import type { LockView } from '../../src/domain/lock.js';
import type { Request } from '../../src/domain/request.js';
import { type Result, success } from '../../src/domain/result.js';
import type { Snapshot } from '../../src/domain/task-view.js';
import { Dashboard } from '../../src/tui/components/dashboard.js';
import type { DashboardClient } from '../../src/tui/dashboard-client.js';
import type { LastScreen } from '../../src/tui/dashboard-context.js';
import { keyPresser } from '../../src/tui/press-key.js';
import { jobRunner } from '../../src/tui/run-jobs.js';
import { startSnapshotFeed } from '../../src/tui/snapshot-feed.js';
import { createStore } from '../../src/tui/store.js';
import { initialUiState, reduceUi } from '../../src/tui/ui-state.js';
import { LIMITS, NOW, snapshotOf } from './task-views.js';

export const NOTHING: Outcome = { task: null, project: null, workspaces: [], notes: [] };

/** A daemon of which a test decides every word. */
export class FakeClient implements DashboardClient {
  readonly requests: Request[] = [];
  answer: (request: Request) => Promise<Result<Outcome>> = () => Promise.resolve(success(NOTHING));
  screen: readonly string[] = [];
  held: readonly LockView[] = [];
  starts = 0;
  start: () => Promise<Result<null>> = () => Promise.resolve(success(null));
  push: (change: Change) => void = () => undefined;
  close: () => void = () => undefined;
  snapshot: Result<Snapshot> = success(snapshotOf([]));

  subscribe(onChange: (change: Change) => void, onClosed: () => void): Promise<Result<Snapshot>> {
    this.push = onChange;
    this.close = onClosed;
    return Promise.resolve(this.snapshot);
  }

  submit(request: Request): Promise<Result<Outcome>> {
    this.requests.push(request);
    return this.answer(request);
  }

  startDaemon(): Promise<Result<null>> {
    this.starts += 1;
    return this.start();
  }

  locks(): Promise<Result<readonly LockView[]>> {
    return Promise.resolve(success(this.held));
  }

  peek(): Promise<Result<readonly string[]>> {
    return Promise.resolve(success(this.screen));
  }
}

export type Rig = {
  readonly client: FakeClient;
  readonly attached: string[];
  readonly quits: { count: number };
  /** Sends keys as a terminal would. */
  readonly type: (input: string) => Promise<void>;
  readonly frame: () => string;
  readonly waitFor: (text: string) => Promise<string>;
  readonly unmount: () => void;
};

export const KEYS = {
  enter: '\r',
  esc: '\u001B',
  tab: '\t',
  down: '\u001B[B',
  up: '\u001B[A',
  left: '\u001B[D',
  backspace: '\u007F',
  pageDown: '\u001B[6~',
};

/** A mounted dashboard on a terminal of the given size. */
export async function openRig(input: {
  readonly snapshot?: Snapshot;
  readonly client?: FakeClient;
  readonly columns?: number;
  readonly rows?: number;
  readonly project?: string | null;
  readonly showAll?: boolean;
  readonly unregistered?: string;
  readonly taskFile?: string;
  readonly lastScreen?: LastScreen;
  readonly diff?: Result<string>;
}): Promise<Rig> {
  const client = input.client ?? new FakeClient();
  if (input.snapshot !== undefined) client.snapshot = success(input.snapshot);
  const size = { columns: input.columns ?? 80, rows: input.rows ?? 24 };
  const terminal = Object.assign(new EventEmitter(), size);
  const feed = startSnapshotFeed(client, [5]);
  const ui = createStore(
    initialUiState({
      project: input.project ?? null,
      showAll: input.showAll ?? false,
      unregistered: input.unregistered ?? null,
    }),
    reduceUi,
  );
  const attached: string[] = [];
  const quits = { count: 0 };
  const onKey = keyPresser({
    client,
    ui,
    feed,
    runJob: jobRunner(client, ui),
    strategyFor: () => 'squash',
    size: () => size,
    readTaskFile: () => Promise.resolve(input.taskFile ?? ''),
    readLastScreen: () => Promise.resolve(input.lastScreen ?? null),
    readDiff: () => Promise.resolve(input.diff ?? success('')),
    attach: (session) => attached.push(session),
    repaint: () => undefined,
    quit: () => {
      quits.count += 1;
    },
  });
  const app = render(
    <Dashboard
      feed={feed}
      ui={ui}
      terminal={terminal}
      clock={{ nowMs: () => NOW }}
      limits={LIMITS}
      onKey={onKey}
      onUnmount={feed.stop}
    />,
  );
  Object.defineProperty(app.stdout, 'columns', { value: size.columns });
  app.stdout.emit('resize');
  const frame = () => app.lastFrame() ?? '';
  await settle();
  return {
    client,
    attached,
    quits,
    frame,
    unmount: app.unmount,
    type: async (keys) => {
      app.stdin.write(keys);
      await settle();
    },
    waitFor: async (text) => {
      const deadline = Date.now() + 20_000;
      while (!frame().includes(text)) {
        if (Date.now() > deadline) throw new Error(`never shown: ${text}\n${frame()}`);
        await settle();
      }
      return frame();
    },
  };
}

/** Lets what is already under way finish. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
