import { addLine, commitFile } from './commit-work.js';
import { step, type Machine } from './machine.js';
import { demoFile, oneLine, readScript } from './script.js';
import { fieldOf, sectionOf, withSection, withStatus } from './task-text.js';

const POLL_MS = 100;

/** Plays the worker until its terminal is gone; the result is the exit status. */
export async function playWorker(machine: Machine): Promise<number> {
  machine.say(`Demo agent, worker on: ${summaryOf(machine)}`);
  if (readScript(machine.readTask()).asks && !(await askFirst(machine))) return 0;
  await makePlan(machine);
  if (!hasWorkToDo(machine)) machine.say('My handoff is written; nothing is left to do.');
  else if (!(await work(machine))) return 1;
  return stayReady(machine);
}

/** Reacts to what is typed or pasted: while the task is in work, with one more edit and Handoff. */
async function stayReady(machine: Machine): Promise<number> {
  for (;;) {
    machine.say('Waiting. Tell me something and I act on it.');
    const message = await machine.nextMessage();
    if (message === null) return 0;
    const text = machine.readTask();
    if (fieldOf(text, 'status') !== 'working') {
      machine.say(`Heard. There is nothing to do while the task is in ${fieldOf(text, 'status')}.`);
      continue;
    }
    const review = sectionOf(text, 'Review');
    if (review !== null) machine.say(`Reading the review: ${firstLine(review)}`);
    if (!(await work(machine))) return 1;
  }
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

function hasWorkToDo(machine: Machine): boolean {
  const text = machine.readTask();
  return sectionOf(text, 'Handoff') === null || fieldOf(text, 'status') === 'working';
}

async function askFirst(machine: Machine): Promise<boolean> {
  const text = machine.readTask();
  if (sectionOf(text, 'Questions') !== null && fieldOf(text, 'status') !== 'clarification') {
    return true;
  }
  const asking = sectionOf(text, 'Plan') === null ? 'planning' : 'working';
  if (sectionOf(text, 'Questions') === null) {
    await step(machine, 'I have a question: writing it into TASK.md');
    const question = '1. Which colour shall the demo have?';
    machine.writeTask(
      withStatus(withSection(machine.readTask(), 'Questions', question), 'clarification'),
    );
  }
  machine.say('Waiting for an answer.');
  const answer = await machine.nextMessage();
  if (answer === null) return false;
  await step(machine, 'Thank you, going on.');
  const after = machine.readTask();
  if (fieldOf(after, 'status') === 'clarification') machine.writeTask(withStatus(after, asking));
  return true;
}

async function makePlan(machine: Machine): Promise<void> {
  await step(machine, 'Reading TASK.md');
  if (sectionOf(machine.readTask(), 'Plan') !== null) {
    machine.say('There is a plan already, I follow it.');
    return;
  }
  const file = fileOf(machine);
  await step(machine, 'Writing the plan');
  const plan = [
    `APPROACH: Add a line about the task to ${file} and commit it`,
    `TOUCHING: ${file}`,
    'RISKS: none, this is a demonstration',
  ];
  machine.writeTask(withSection(machine.readTask(), 'Plan', plan.join('\n')));
}

/** One round of work: edit, commit, hand off. False when it ends in a crash. */
async function work(machine: Machine): Promise<boolean> {
  await untilWorking(machine);
  const version = versionOf(machine);
  const file = fileOf(machine);
  await step(machine, `Editing ${file}`);
  addLine(machine, file, `- ${oneLine(summaryOf(machine))} (${version})`);
  if (crashesNow(machine)) {
    await step(machine, 'Something goes terribly wrong (as the script demands)');
    return false;
  }
  await step(machine, 'Committing');
  const subject = oneLine(summaryOf(machine)) || `Demo task ${machine.taskId}`;
  const refusal = commitFile(machine, file, `${subject}\n\nDemo: ${version}`);
  if (refusal !== null) {
    machine.say(`git refused the commit: ${refusal}`);
    return false;
  }
  await step(machine, 'Writing the handoff');
  const handoff = [
    `DONE: ${file}, ${version}`,
    'REMAINING: nothing',
    'DECISIONS: One line per version, so that the history shows every round',
  ];
  machine.writeTask(withSection(machine.readTask(), 'Handoff', handoff.join('\n')));
  return true;
}

// A Handoff counts only when it is written after the plan was accepted, which may need a person.
async function untilWorking(machine: Machine): Promise<void> {
  if (fieldOf(machine.readTask(), 'status') === 'working') return;
  machine.say('Waiting until orange says that the work may begin');
  while (fieldOf(machine.readTask(), 'status') !== 'working') await machine.pause(POLL_MS);
}

function crashesNow(machine: Machine): boolean {
  const { crashes } = readScript(machine.readTask());
  if (crashes !== 'once') return crashes === 'always';
  // In the worktree's own git directory: no part of the work, and gone with the worktree.
  const marker = machine
    .git(['rev-parse', '--git-path', `orange-demo-crashed-${machine.taskId}`])
    .output.trim();
  if (machine.exists(marker)) return false;
  machine.writeFile(marker, '');
  return true;
}

/** Each Handoff must differ from the one before, and so does what it hands over. */
function versionOf(machine: Machine): string {
  if (sectionOf(machine.readTask(), 'Handoff') === null) return 'first version';
  const file = fileOf(machine);
  const lines = machine.exists(file) ? machine.readFile(file).split('\n') : [];
  return `revision ${lines.filter((line) => line.startsWith('- ')).length}`;
}

function fileOf(machine: Machine): string {
  return demoFile(summaryOf(machine), machine.taskId);
}

function summaryOf(machine: Machine): string {
  return fieldOf(machine.readTask(), 'summary') ?? '';
}
