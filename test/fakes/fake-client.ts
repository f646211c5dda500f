import type { Client } from '../../src/api/client.js';
import type { Call, Change, Outcome } from '../../src/api/protocol.js';
import type { Failure } from '../../src/domain/failure.js';
import type { Actor, Request } from '../../src/domain/request.js';
import { failed, success } from '../../src/domain/result.js';
import type { Snapshot } from '../../src/domain/task-view.js';

export type FakeClient = Client & {
  readonly requests: { readonly request: Request; readonly actor: Actor }[];
  readonly calls: Call['method'][];
  /** Every call in full. */
  readonly asked: Call[];
  /** What comes of a call by its method, where that is to be something special. */
  readonly answers: Partial<Record<Call['method'], unknown>>;
  /** Pushes a change to the subscriber. */
  push(change: Partial<Change>): void;
  /** Ends the conversation, as a daemon that dies does. */
  end(): void;
};

/** A daemon that answers from a snapshot; `answer` says what comes of a request. */
export function fakeClient(
  snapshot: () => Snapshot,
  answer: (request: Request) => Outcome | Failure = defaultAnswer(snapshot),
): FakeClient {
  const requests: FakeClient['requests'] = [];
  const calls: Call['method'][] = [];
  const asked: Call[] = [];
  const answers: FakeClient['answers'] = {};
  let subscriber: ((change: Change) => void) | null = null;
  let onEnd: ((failure: Failure) => void) | null = null;

  const results = (call: Call): unknown => {
    switch (call.method) {
      case 'submit':
        requests.push({ request: call.request, actor: call.actor });
        return answer(call.request);
      case 'snapshot':
      case 'subscribe':
        return snapshot();
      case 'status':
        return STATUS;
      case 'next':
      case 'locks':
      case 'check-locks':
        return [];
      case 'peek':
        return { lines: [] };
      case 'doctor':
        return [];
      case 'mend':
        return { done: [], failed: [], remaining: [] };
      case 'stop':
        return null;
    }
  };
  return {
    greeting: { orange: '0.0.0', protocol: 1, pid: 4242 },
    requests,
    calls,
    asked,
    answers,
    call: async (call) => {
      calls.push(call.method);
      asked.push(call);
      const result = answers[call.method] ?? results(call);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return isFailure(result) ? failed(result) : (success(result) as never);
    },
    subscribe: async (onChange, onClosed) => {
      subscriber = onChange;
      onEnd = onClosed;
      return success(snapshot());
    },
    push: (change) => subscriber?.({ ...NO_CHANGE, ...change }),
    end: () => onEnd?.({ kind: 'daemon-unreachable', reason: 'connection-closed' }),
    close: () => undefined,
  };
}

export const NO_CHANGE: Change = {
  tasks: [],
  removed: [],
  projects: null,
  workspaces: null,
  problems: null,
};

export const STATUS = {
  running: true,
  pid: 4242,
  uptime_s: 61,
  version: '0.0.0',
  socket: '/h/run/daemon.sock',
  home: '/h',
  tasks: 1,
  sessions: 1,
  rss_bytes: 50 * 1024 * 1024,
  sources: {
    terminals: { state: 'connected', since: '2026-01-01T00:00:00.000Z' },
    files: { state: 'watching', since: '2026-01-01T00:00:00.000Z', directories: 3 },
    sweep: 'net',
  },
} as const;

export function outcome(parts: Partial<Outcome> = {}): Outcome {
  return { task: null, project: null, workspaces: [], notes: [], ...parts };
}

function defaultAnswer(snapshot: () => Snapshot): (request: Request) => Outcome {
  return (request) => {
    const { tasks, projects } = snapshot();
    const id = 'taskId' in request ? request.taskId : null;
    return outcome({
      task: tasks.find((task) => task.fields.id === id) ?? tasks[0] ?? null,
      project: projects[0] ?? null,
    });
  };
}

function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
