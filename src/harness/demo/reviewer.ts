import { step, type Machine } from './machine.js';
import { demoFile, readScript } from './script.js';
import { fieldOf, withSection } from './task-text.js';

/** Plays the reviewer: reads the change, writes the verdict, ends. */
export async function playReviewer(machine: Machine): Promise<number> {
  const text = machine.readTask();
  machine.say(`Demo agent, reviewer, round ${machine.round}`);
  await step(machine, 'Reading TASK.md');
  await step(machine, `Reading the change:\n${machine.git(['show', '--stat', 'HEAD']).output}`);
  const file = demoFile(fieldOf(text, 'summary') ?? '', machine.taskId);
  const review = fails(machine)
    ? `Verdict: FAIL\n\n${file}:1 Please say more; add another line.`
    : `Verdict: PASS\n\n${file}:1 reads well.`;
  machine.writeTask(withSection(machine.readTask(), 'Review', review));
  machine.say(`${review.split('\n')[0] ?? ''}. Done.`);
  return 0;
}

function fails(machine: Machine): boolean {
  const { fails: when } = readScript(machine.readTask());
  return when === 'always' || (when === 'once' && machine.round <= 1);
}
