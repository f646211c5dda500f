import type { RuntimeEdit } from '../domain/decision.js';
import type { AgentMessage, Effect } from '../domain/effect.js';
import type { Refused, TaskState } from '../domain/world.js';

type PutBack = Extract<AgentMessage, { kind: 'put-back' }>;

/** What of an edit was put back; the same cause is told to the same agent once. */
export type Refusal =
  | {
      readonly kind: 'context';
      readonly cause: string;
      readonly context: NonNullable<PutBack['context']>;
    }
  | { readonly kind: 'status'; readonly cause: string; readonly status: string };

/** How many causes are remembered of a task. */
const MAX_REFUSED = 16;

/** What is remembered of a cause; null when the agent at work has not been told of it. */
export function findRefused(task: TaskState, cause: string): Refused | null {
  const launch = agentAtWork(task)?.launchId ?? null;
  const all = task.refused ?? [];
  return all.find((each) => each.cause === cause && each.launch === launch) ?? null;
}

/** Tells the living agent what of its edit was put back and why, and remembers that. */
export function tellRefusals(
  task: TaskState,
  refusals: readonly Refusal[],
): { readonly effects: readonly Effect[]; readonly runtime: RuntimeEdit } {
  const news = refusals.filter(({ cause }) => findRefused(task, cause) === null);
  if (news.length === 0) return { effects: [], runtime: {} };
  const agent = agentAtWork(task);
  const launch = agent?.launchId ?? null;
  const noted = news.map((each): Refused => {
    const transcript = each.kind === 'context' ? each.context.transcript : null;
    return { cause: each.cause, launch, transcript };
  });
  const runtime = { refused: [...(task.refused ?? []), ...noted].slice(-MAX_REFUSED) };
  const { id: taskId, tmux_session: session } = task.fields;
  if (agent === null || session === null) return { effects: [], runtime };
  const { window } = agent;
  const message = messageOf(news);
  return { effects: [{ kind: 'tell-agent', taskId, session, window, message }], runtime };
}

function messageOf(refusals: readonly Refusal[]): PutBack {
  return refusals.reduce<PutBack>(
    (sofar, each) =>
      each.kind === 'context'
        ? { ...sofar, context: each.context }
        : { ...sofar, status: each.status },
    { kind: 'put-back', context: null, status: null },
  );
}

/** The agent that may be meant to have written: the reviewer during its review, else the worker. */
function agentAtWork({ fields, worker, reviewer }: TaskState) {
  if (fields.status === 'agent-review' && reviewer.kind === 'live') return reviewer;
  return worker.kind === 'live' ? worker : null;
}
