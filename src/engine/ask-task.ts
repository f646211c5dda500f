import type { Decision, SectionEdit } from '../domain/decision.js';
import type { Effect } from '../domain/effect.js';
import type { EventDraft } from '../domain/history-event.js';
import type { TaskRequest } from '../domain/request.js';
import { openQuestions } from '../domain/section.js';
import { nameQuestions } from '../domain/name-questions.js';
import type { GivenAnswer, TaskState, World } from '../domain/world.js';
import { refuseMissingHarness } from './edit-task.js';
import { makeMove } from './make-move.js';
import { refuseAction, type Asked } from './refuse-action.js';
import { decideUpdate, refuse } from './update-task.js';

type RequestOf<K extends TaskRequest['kind']> = Extract<TaskRequest, { kind: K }>;

/** More than this is not pasted into a terminal: the agent is sent to TASK.md instead. */
const LONGEST_PASTE = 4000;

/** Writes a question into TASK.md and, with the same stroke, lets the task wait for its answer. */
export function askQuestion(
  world: World,
  task: TaskState,
  request: RequestOf<'task.ask'>,
  asked: Asked,
): Decision {
  const refusal = refuseAction(task, 'ask', asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const { id: taskId, status } = task.fields;
  const number = Math.max(0, ...task.artifacts.questions.map((known) => known.number)) + 1;
  const label = String(number);
  const sections: readonly SectionEdit[] = [
    { kind: 'append', section: 'Questions', label, text: request.text },
  ];
  const events: readonly EventDraft[] = [
    { type: 'question.asked', question: number, by: asked.actor },
  ];
  if (status === 'clarification') {
    const notice: Effect = { kind: 'notify-human', taskId, cause: 'clarification' };
    return decideUpdate(task, { sections, events }, [notice]);
  }
  const order = { to: 'clarification', actor: asked.actor, reason: '' } as const;
  return makeMove(world, task, { ...order, before: events, sections }, asked.moment);
}

/**
 * Writes an answer into TASK.md. Once no question is open, the task goes back to where it asked and
 * its worker is told, or started again with the answer.
 */
export function answerQuestion(
  world: World,
  task: TaskState,
  request: RequestOf<'task.answer'>,
  asked: Asked,
): Decision {
  const refusal = refuseAction(task, 'answer', asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const { id: taskId } = task.fields;
  const { questions } = task.artifacts;
  const { question } = request;
  if (question !== null && !questions.some(({ number }) => number === question)) {
    const known = questions.map(({ number }) => number);
    return refuse({ kind: 'no-such-question', question, known }, taskId);
  }
  const open = openQuestions(questions).map(({ number }) => number);
  const numbers = question === null ? open : [question];
  const sections: readonly SectionEdit[] = [
    { kind: 'append', section: 'Answers', label: numbers.join(', '), text: request.text },
  ];
  const text = request.text.length > LONGEST_PASTE ? null : request.text;
  const told: GivenAnswer = { questions: numbers, text };
  const events: readonly EventDraft[] = [{ type: 'question.answered', ...told, by: asked.actor }];
  const given = [...(task.untoldAnswers ?? []), told];
  if (open.some((number) => !numbers.includes(number))) {
    return decideUpdate(task, { sections, events, runtime: { untoldAnswers: given } });
  }
  const to = task.cameFrom === 'working' ? 'working' : 'planning';
  const missing = refuseMissingHarness(world, task, to);
  if (missing !== null) return refuse(missing, taskId);
  const message = { kind: 'answered', status: to, ...joinAnswers(given) } as const;
  const order = { to, actor: asked.actor, reason: '', before: events, sections, message } as const;
  return makeMove(world, task, order, asked.moment);
}

/** Several answers as one text, each behind the questions it answers. */
function joinAnswers(given: readonly GivenAnswer[]): {
  readonly questions: readonly number[];
  readonly text: string | null;
} {
  const questions = [...new Set(given.flatMap((each) => each.questions))];
  const [only, ...others] = given;
  const texts = given.map(({ text }) => text);
  if (only === undefined || !texts.every((text) => text !== null)) return { questions, text: null };
  const parts = given.map((each) => `To ${nameQuestions(each.questions)}: ${each.text}`);
  const text = others.length === 0 ? only.text : parts.join('\n\n');
  return { questions, text: text === null || text.length > LONGEST_PASTE ? null : text };
}
