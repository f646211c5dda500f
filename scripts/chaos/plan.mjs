import { allFaults } from './faults/list.mjs';
import { randomFrom } from './random.mjs';

export const COURSE_LENGTH = 10;

/** Which faults come in which course: passes over all of them, each in an order of its own. */
export function planCourses({ rounds, seed, wanted = () => true, isShuffled = true }) {
  const faults = [];
  for (let pass = 0; faults.length < rounds; pass += 1) {
    const all = allFaults(pass).filter(wanted);
    if (all.length === 0) return [];
    faults.push(...(isShuffled ? randomFrom(`${seed}/${pass}`).shuffle(all) : all));
  }
  const courses = [];
  for (let start = 0; start < rounds; start += COURSE_LENGTH) {
    const end = Math.min(rounds, start + COURSE_LENGTH);
    courses.push({ number: courses.length, rounds: faults.slice(start, end) });
  }
  return courses;
}
