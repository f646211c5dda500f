import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDemoOrange } from './demo-orange.mjs';
import { git, makeDemoPlace, makeSampleRepository } from './demo-place.mjs';
import { createDemoTasks } from './demo-tasks.mjs';
import { describeEvent } from './describe-event.mjs';
import { followHistories } from './follow-histories.mjs';
import { say, seconds } from './say.mjs';
import { StepFailed } from './step-failed.mjs';
import { stopDemo } from './stop-demo.mjs';

const PROJECT = 'sample';
const DEADLINE_MS = 180_000;
const LOG_LINES = 20;

/**
 * Shows orange at work on a throw-away home: in the dashboard when there is a terminal, else line by line
 * until all three tasks wait for a person. Leaves nothing behind, however it ends.
 */
export async function runDemo({ hasTerminal, signal }) {
  const place = await makeDemoPlace();
  const orange = createDemoOrange(place, signal);
  try {
    const tasks = await begin(orange, place);
    signal.throwIfAborted();
    if (hasTerminal) await watch(orange, place);
    else await tell(orange, { place, tasks, signal });
  } finally {
    say();
    await stopDemo(orange, place);
  }
}

async function begin(orange, { home, repository }) {
  say(`\nA throw-away home is at ${home}, a sample repository at ${repository}.`);
  await makeSampleRepository(repository);
  say('Starting the daemon …');
  await orange.ask('daemon', 'start');
  const options = ['--name', PROJECT, '--default-branch', 'main', '--pool-size', '3'];
  await orange.ask('project', 'add', repository, ...options);
  say('Creating three tasks for the built-in demo agent …');
  return await createDemoTasks(orange, (line) => say(`  ${line}`));
}

async function watch(orange, { home }) {
  const ended = await orange.showDashboard();
  if (ended.code !== 0 && ended.signal === null) {
    throw new StepFailed(`The dashboard ended with exit code ${ended.code}.\n${logTail(home)}`);
  }
}

async function tell(orange, { place, tasks, signal }) {
  say('\nWhat happens, as it is written into the histories:');
  const width = Math.max(...tasks.map(({ branch }) => branch.length));
  const onEvent = (task, event, atMs) =>
    say(`${seconds(atMs).padStart(8)}  ${task.branch.padEnd(width)}  ${describeEvent(event)}`);
  const following = { home: place.home, project: PROJECT, tasks, status: 'reviewing', signal };
  const statuses = await followHistories({ ...following, deadlineMs: DEADLINE_MS, onEvent });
  await requireAllReviewing(orange, { tasks, statuses, home: place.home });
  await mergeOne(orange, tasks[0], place.repository);
}

async function requireAllReviewing(orange, { tasks, statuses, home }) {
  const listed = JSON.parse(await orange.ask('task', 'list', '--all', '--json'));
  if (listed.length === tasks.length && listed.every((task) => task.status === 'reviewing')) return;
  const states = tasks.map(({ id, branch }) => {
    const task = listed.find((one) => one.id === id);
    return `  ${branch}: ${task?.status ?? 'not listed'} (history: ${statuses.get(id)})`;
  });
  throw new StepFailed(
    ['Not all tasks reached `reviewing`:', ...states, '', logTail(home)].join('\n'),
  );
}

async function mergeOne(orange, { id, branch }, repository) {
  say(`\nAll three wait for a person. Merging ${branch} …`);
  say((await orange.ask('task', 'merge', id, '--yes')).trimEnd());
  say(`\nThe history of ${branch}:`);
  say((await orange.ask('task', 'log', id)).trimEnd());
  say(`\ngit log --oneline --graph -8 in the sample repository:`);
  say((await git(repository, 'log', '--oneline', '--graph', '-8')).trimEnd());
}

function logTail(home) {
  try {
    const lines = readFileSync(join(home, 'orange.log'), 'utf8').trimEnd().split('\n');
    return ['The end of orange.log:', ...lines.slice(-LOG_LINES)].join('\n');
  } catch (error) {
    return `There is no log to show (${error.code}).`;
  }
}
