import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endProcess } from '../../chaos/processes.mjs';
import { addProject, createTask } from './begin.mjs';
import { asPath, asProse, isRefused, standIn } from './fields.mjs';
import { lookAtEnd, lookAtLife, lookAtStart } from './looks.mjs';
import { lookAtLists } from './overview.mjs';

/** What follows a text that was pasted and sent. */
const PASTED = '\u001b[201~\r';

// Lists of all tasks are long, and much the same from one task to the next.
const LISTED_EVERY = 15;

/** Takes one task from its creation to its merge, with a hostile text in every field on the way. */
export async function tellStory(scene) {
  const { said, given } = scene;
  said.path = asPath(given.path);
  said.sections = asProse(given.sections);
  await addProject(scene);
  await createTask(scene);
  await scene.until('the worker', () => scene.note('ready', 0) === 'worker');
  await lookAtStart(scene);
  await askAndAnswer(scene);
  await workAndPass(scene);
  await sendBack(scene);
  await lookAtLife(scene);
  await scene.must({ kind: 'task.update', status: 'stuck' });
  await scene.must({ kind: 'task.update', status: 'reviewing' });
  const merge = { kind: 'task.merge', strategy: null, push: null, message: null, anyway: true };
  await scene.must(merge);
  await scene.untilMoved('done');
  await lookAtEnd(scene);
}

async function askAndAnswer(scene) {
  const ask = (text) => scene.submit({ kind: 'task.ask', text }, 'agent');
  const answer = (text) => scene.submit({ kind: 'task.answer', question: null, text });
  await say(scene, 'question', ask);
  await scene.untilMoved('clarification');
  if (scene.number % LISTED_EVERY === 0) {
    for (const { sink, problem } of await lookAtLists(scene.place)) scene.complain(sink, [problem]);
  }
  await say(scene, 'answer', answer);
  await scene.untilMoved('planning');
  await scene.until('the answer', () => scene.note('typed', 0)?.includes(PASTED) === true);
}

/** Says a text; where it has to be refused, that comes first, and a plain one is said in its place. */
async function say(scene, field, submit) {
  const text = scene.given[field];
  if (isRefused(field, text)) {
    scene.refusals += 1;
    const { failure } = await submit(text);
    if (failure?.kind !== 'invalid-argument') {
      scene.complain('refusal', [`of the ${field} is ${JSON.stringify(failure)}`]);
    }
    scene.said[field] = standIn(field, scene.number);
  }
  const answer = await submit(scene.said[field]);
  if (answer.result !== undefined) return;
  const told = JSON.stringify(answer.failure).slice(0, 500);
  throw new Error(`the ${field} was refused, though it is fit: ${told}`);
}

/** What the agents do, done in their place: a Plan, a commit, a Handoff, a Review that passes. */
async function workAndPass(scene) {
  const { said, worktree, place } = scene;
  const add = (text) => appendFileSync(join(worktree, 'TASK.md'), text);
  add(`\n## Plan\n\nAPPROACH: ${said.sections}\n`);
  await scene.untilMoved('working');
  const path = join(worktree, said.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${said.screen}\n`);
  await place.git(worktree, 'add', '--all');
  const message = join(place.root, 'got', scene.id, 'message');
  writeFileSync(message, `${said.sections}\n`);
  await place.git(worktree, 'commit', '-q', '--cleanup=verbatim', '-F', message);
  add(`\n## Handoff\n\nDONE: ${said.sections}\n`);
  await scene.until('the reviewer', () => scene.note('ready', 1) === 'reviewer');
  add(`\n## Review\n\nVerdict: PASS\n\nSeen: ${said.sections}\n`);
  await scene.untilMoved('reviewing');
}

/** The worker ends, and a person sends the work back: the next one begins with their words. */
async function sendBack(scene) {
  endProcess(Number(scene.note('pid', 0)), 'SIGTERM');
  await scene.until('its end', () => scene.events().some(({ type }) => type === 'agent.ended'));
  await say(scene, 'feedback', (text) => scene.submit({ kind: 'task.request-changes', text }));
  await scene.until('the next worker', () => scene.note('ready', 2) === 'worker');
}
