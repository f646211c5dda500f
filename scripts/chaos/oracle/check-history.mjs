import { violation } from './violation.mjs';

// The moves of docs/task-states.md, written down a second time: the oracle shares no code with orange.
const MOVES = {
  pending: ['planning'],
  planning: ['working', 'clarification', 'stuck', 'pending'],
  working: ['agent-review', 'reviewing', 'clarification', 'stuck', 'pending'],
  clarification: ['planning', 'working'],
  'agent-review': ['reviewing', 'working', 'stuck'],
  reviewing: ['working'],
  stuck: ['planning', 'working', 'reviewing'],
};
const FINAL = ['done', 'cancelled'];
const ONCE_PER_LAUNCH = ['agent.spawned', 'review.started', 'agent.crashed', 'agent.ended'];

export function isFinal(status) {
  return FINAL.includes(status);
}

export function movesOf(events) {
  return events.filter(({ type }) => type === 'status.changed' || type === 'auto.advanced');
}

/** I2: the history is a legal course of this one task, and TASK.md is at its end. */
export function checkHistory({ id, fields, events, history }) {
  const problems = [];
  const complain = (what) => problems.push(violation('I2', id, `${what}\n${history}`));
  if (events[0]?.type !== 'task.created') complain('does not begin with task.created');
  let status = 'pending';
  for (const { from, to } of movesOf(events)) {
    if (from !== status) complain(`moves from ${from}, but was ${status}`);
    if (!isLegal(from, to)) complain(`moves from ${from} to ${to}`);
    status = to;
  }
  if (fields.status !== undefined && fields.status !== status) {
    complain(`TASK.md says ${fields.status}, the history ${status}`);
  }
  for (const what of doubled(events, history)) complain(what);
  return problems;
}

function isLegal(from, to) {
  if (FINAL.includes(from)) return false;
  return FINAL.includes(to) || (MOVES[from] ?? []).includes(to);
}

/** What was recorded twice: whole lines, launches, and what happens once in a task's life. */
function doubled(events, history) {
  const lines = history.split('\n').filter(Boolean);
  const launches = ONCE_PER_LAUNCH.flatMap((type) => {
    const ids = events.filter((event) => event.type === type).map(({ launch }) => launch);
    return repeated(ids).map((launch) => `${type} of ${launch} stands twice`);
  });
  const once = ['task.created', 'task.merged'].filter(
    (type) => events.filter((event) => event.type === type).length > 1,
  );
  return [
    ...repeated(lines).map((line) => `a line stands twice: ${line}`),
    ...launches,
    ...once.map((type) => `${type} stands twice`),
  ];
}

function repeated(list) {
  return [...new Set(list.filter((value, index) => list.indexOf(value) !== index))];
}
