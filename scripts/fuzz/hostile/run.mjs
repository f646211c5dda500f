import { lookAtCalls } from './calls.mjs';
import { FIELDS, textsOfCase, whereText } from './fields.mjs';
import { lookAtNotices } from './notices.mjs';
import { lookAtHome, lookAtLists, openDashboard } from './overview.mjs';
import { openHostilePlace } from './place.mjs';
import { lookAtPrompts } from './prompts.mjs';
import { Scene } from './scene.mjs';
import { tellStory } from './story.mjs';
import { hostileTexts, TEXT_COUNT } from './texts.mjs';

/** Where it is looked for texts that were run, changed, or not cleaned. */
export const SINKS = [
  'TASK.md',
  'history',
  'log',
  'processes',
  'prompt',
  'environment',
  'git',
  'terminal',
  'json',
  'notice',
  'transcript',
  'run',
];
/** Looked at once for all tasks. */
const OF_ALL = new Set(['log', 'notice']);
const ABREAST = 4;

/**
 * Hostile texts in every field of real tasks, several side by side, and a look at every sink. Gives the
 * problems, and what was done: cases, refusals, and texts that were run.
 */
export async function fuzzHostile({ numbers, parts }) {
  const place = await openHostilePlace();
  const found = { problems: [], refusals: 0 };
  const note = (problems) => found.problems.push(...problems);
  try {
    const texts = hostileTexts(place.watch);
    const dashboard = await openDashboard(place);
    await tellStories(place, { numbers, texts, found });
    note(await lookAtLists(place));
    note(await lookAtPrompts(parts, { ...place, texts }));
    const told = texts.filter(({ number }) => numbers.includes(number));
    note(await lookAtNotices(parts, { ...place, texts: told }));
    note(lookAtHome(place));
    note(lookAtCalls(place));
    note(dashboard.judge());
    const run = place.canaries();
    note(
      run.map((name) => ({
        sink: 'execution',
        problem: `${whereText(Number(name), numbers)} was run`,
      })),
    );
    return { ...found, count: numbers.length, executions: run.length };
  } finally {
    await place.close();
  }
}

async function tellStories(place, { numbers, texts, found }) {
  const left = [...numbers];
  const work = async () => {
    for (let number = left.shift(); number !== undefined; number = left.shift()) {
      const scene = new Scene(place, { number, given: textsOfCase(texts, number) });
      await tellStory(scene).catch((error) => scene.complain('story', [String(error.stack)]));
      const missing = SINKS.filter((sink) => !scene.looked.has(sink) && !OF_ALL.has(sink));
      scene.complain(
        'story',
        missing.map((sink) => `${sink} was not looked at`),
      );
      found.problems.push(...scene.problems);
      found.refusals += scene.refusals;
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, work));
}

/** So many of all cases, spread over them; in all of them every text stands once in every field. */
export function caseNumbers(count) {
  const most = Math.min(count, TEXT_COUNT);
  return Array.from({ length: most }, (_, index) => Math.floor((index * TEXT_COUNT) / most));
}

/** The size of what is looked at in a run of so many cases, in words. */
export function describeHostile({ count, refusals }) {
  const pairs = `${count === TEXT_COUNT ? TEXT_COUNT : `${count} of ${TEXT_COUNT}`} texts in each of`;
  return `Hostile texts: ${pairs} ${FIELDS.length} fields, looked at in ${SINKS.length} places; ${refusals} were refused by name; prompts up to 1 MiB.`;
}
