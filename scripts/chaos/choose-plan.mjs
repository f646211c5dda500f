import { StepFailed } from '../lib/step-failed.mjs';
import { allFaults } from './faults/list.mjs';
import { COURSE_LENGTH, planCourses } from './plan.mjs';

/**
 * Which faults come in which course, and the seed they are drawn with. What is chosen depends on the
 * seed, `fault` and `each-once` alone: `rounds` only says where it ends, and `homes` who runs what.
 * Without `rounds` each fault comes once.
 */
export function choosePlan({ replay, rounds, ...values }) {
  const words = (values.fault ?? '').split(',');
  const wanted = ({ name }) => words.some((word) => name.includes(word));
  const fitting = allFaults().filter(wanted).length;
  if (fitting === 0) throw new StepFailed(`No fault is named like ${values.fault}.`);
  const isShuffled = !values['each-once'];
  const plan = (seed, until) => planCourses({ rounds: until, seed, wanted, isShuffled });
  if (replay === undefined) {
    const { seed } = values;
    return { seed, plan: plan(seed, isShuffled ? (rounds ?? fitting) : fitting) };
  }
  const { seed, course, step } = readRoundSeed(replay);
  const until = (course + 1) * COURSE_LENGTH;
  const meant = plan(seed, isShuffled ? until : Math.min(until, fitting))[course];
  if (meant?.rounds[step] === undefined) throw new StepFailed(`The plan has no round ${replay}.`);
  return { seed, plan: [{ ...meant, rounds: meant.rounds.slice(0, step + 1) }] };
}

/** The options that bring a round again, as they are typed into a shell. */
export function replayOptions(roundSeed, { fault, ...values }) {
  return [
    ['--replay', roundSeed],
    ...(fault === undefined ? [] : [['--fault', fault]]),
    ...(values['each-once'] ? [['--each-once']] : []),
  ]
    .flat()
    .map(quote)
    .join(' ');
}

function readRoundSeed(text) {
  const [, seed, course, step] = /^(.+)\.(\d+)\.(\d+)$/.exec(text) ?? [];
  if (step === undefined) throw new StepFailed(`Not the seed of a round: ${text}`);
  return { seed, course: Number(course), step: Number(step) };
}

function quote(word) {
  return /^[\w.,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
