import { WAITS_WITHOUT_WORDS, type Attention } from '../domain/attention.js';
import { isConversationId } from '../domain/conversation-id.js';
import type { Decision } from '../domain/decision.js';
import { textOf } from '../domain/extensions.js';
import type { EventDraft } from '../domain/history-event.js';
import type { TaskRequest } from '../domain/request.js';
import { isTerminal, STATUSES } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import { endOf, tellThatItWaits, waiting } from './heed-agent.js';
import type { Asked } from './refuse-action.js';
import { currentAttention, watchedAgent } from './stall-policy.js';
import { decideUpdate, refuse } from './update-task.js';

type Report = Extract<TaskRequest, { kind: 'task.report' }>;

/**
 * Writes down what an agent or a person says of how a task gets on. It moves nothing: it is a sign
 * of life, and tells whether the agent that the task waits for itself waits for somebody.
 */
export function reportProgress(task: TaskState, report: Report, asked: Asked): Decision {
  const { id, status } = task.fields;
  if (isTerminal(status)) {
    const allowed = STATUSES.filter((each) => !isTerminal(each));
    return refuse({ kind: 'wrong-status', action: 'report on', status, allowed }, id);
  }
  const { timestamp: reportedAt } = asked.moment;
  const launchId = launchMeant(task, report);
  const conversation = newConversation(task, report);
  const reported = reportEvent(report, asked, { launchId, conversation });
  const extensions = conversation === null ? {} : { harness_session: conversation };
  // A person who reports has looked at what waited to be looked at.
  const seen = {
    reportedAt,
    ...(asked.actor === 'human' ? { keptEdit: null, keptEditSince: null } : {}),
  };
  if (launchId === null) {
    return decideUpdate(task, { extensions, events: [reported], runtime: seen });
  }
  const before = currentAttention(task);
  const wasWaiting = before?.kind === 'waiting-for-human';
  if (report.state === 'waiting') {
    const begun = waiting(launchId, report.text ?? WAITS_WITHOUT_WORDS, asked.moment);
    const attention = wasWaiting ? { ...begun, since: before.since } : begun;
    const events = [...(wasWaiting ? [] : ending(before)), reported];
    const effects = wasWaiting ? [] : [tellThatItWaits(task)];
    return decideUpdate(task, { extensions, events, runtime: { ...seen, attention } }, effects);
  }
  const events = [reported, ...ending(before)];
  return decideUpdate(task, { extensions, events, runtime: { ...seen, attention: null } });
}

/**
 * The conversation to take up after a crash, if the report names another than is known. Only the
 * worker that lives can say: neither a reviewer nor a launch that is over, and no person.
 */
function newConversation({ worker, extensions }: TaskState, report: Report): string | null {
  const { conversation, launchId } = report;
  if (conversation === undefined || !isConversationId(conversation)) return null;
  if (worker.kind !== 'live' || worker.launchId !== launchId) return null;
  return textOf(extensions['harness_session']) === conversation ? null : conversation;
}

/** The launch that is watched, if the report is its own or nobody's in particular; else null. */
function launchMeant(task: TaskState, report: Report): string | null {
  const watched = watchedAgent(task)?.launchId ?? null;
  return report.launchId === null || report.launchId === watched ? watched : null;
}

function ending(attention: Attention | null): readonly EventDraft[] {
  return attention === null ? [] : endOf(attention);
}

function reportEvent(
  report: Report,
  asked: Asked,
  told: { readonly launchId: string | null; readonly conversation: string | null },
): EventDraft {
  return {
    type: 'progress.reported',
    ...(report.state === null ? {} : { state: report.state }),
    ...(report.text === null ? {} : { message: report.text }),
    by: asked.actor,
    ...(told.launchId === null ? {} : { launch: told.launchId }),
    ...(told.conversation === null ? {} : { conversation: told.conversation }),
  };
}
