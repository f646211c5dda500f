import { REVIEWERS, WORKERS } from './agents.mjs';
import { isFinal } from './oracle/check-history.mjs';

/** Something a person might do now, at random; resolves with the answer, or null when nothing fits. */
export function actAtRandom(course) {
  const { random } = course;
  const { living, tasks } = course;
  if (living.length < 2 || (living.length < 5 && random.chance(0.35)))
    return createAtRandom(course);
  const { id: taskId, fields } = random.pick(living);
  const over = tasks.filter((task) => isFinal(task.fields.status));
  if (over.length > 3 && random.chance(0.2)) {
    return course.ask({ kind: 'task.delete', taskId: random.pick(over).id });
  }
  const choices = [...ALWAYS, ...(BY_STATUS[fields.status] ?? [])];
  return course.ask(random.pick(choices)(taskId, random));
}

function createAtRandom(course) {
  const { random, place } = course;
  const canary = `touch\${IFS}${place.chaos}/canary`;
  const hostile = {
    branch: `x${random.below(1e6)}#(${canary})`,
    summary: `$(${canary}) \`${canary}\`;`,
  };
  return course.create({
    worker: random.chance(0.5) ? 'steady' : random.pick(WORKERS),
    reviewer: random.chance(0.6) ? 'passing' : random.pick(REVIEWERS),
    ...(random.chance(0.15) ? hostile : {}),
  });
}

const update = (taskId, edits) => ({ kind: 'task.update', taskId, ...edits });
const cancel = (taskId) => ({ kind: 'task.cancel', taskId, reason: null });
const respawn = (taskId) => ({ kind: 'task.respawn', taskId });
const requeue = (taskId) => update(taskId, { status: 'pending' });
const send = (taskId, random) => ({
  kind: 'task.send',
  taskId,
  text: `word ${random.below(1e6)};`,
});
const rename = (taskId, random) => update(taskId, { branch: `renamed-${random.below(1e6)}` });
const summarize = (taskId, random) => update(taskId, { summary: `At ${random.below(1e6)}` });
const merge = (taskId, random) => ({
  kind: 'task.merge',
  taskId,
  strategy: random.pick([null, 'squash', 'preserve']),
  push: random.pick([null, true]),
  message: null,
  local: random.chance(0.5),
});
const sendBack = (taskId) => ({ kind: 'task.review', taskId, verdict: 'FAIL', text: 'Once more.' });

const ALWAYS = [cancel, summarize, rename];
const BY_STATUS = {
  planning: [respawn, requeue, send],
  working: [respawn, requeue, send],
  clarification: [respawn, (id) => update(id, { status: 'working' }), send],
  'agent-review': [respawn],
  reviewing: [merge, merge, merge, sendBack, respawn],
  stuck: [
    (id) => update(id, { status: 'working' }),
    (id) => update(id, { status: 'planning' }),
    respawn,
  ],
};
