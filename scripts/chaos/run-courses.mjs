import { Course } from './course.mjs';
import { randomFrom } from './random.mjs';
import { runRound } from './round.mjs';

const ROUND_LIMIT_MS = 300_000;

/**
 * Runs the rounds of a plan, several homes side by side. A course is a stretch of rounds in one home;
 * its seed repeats it. After a violation the rest of the course goes on in a new home.
 */
export async function runCourses({ plan, seed, homes, program, onRound, isKept, shouldStop }) {
  const open = new Set();
  const courses = plan.values();
  const work = async () => {
    for (let next = courses.next(); !next.done && !shouldStop(); next = courses.next()) {
      const { number, rounds } = next.value;
      await runCourse({
        number,
        rounds,
        seed,
        program,
        onRound,
        isKept,
        open,
        shouldStop,
      });
    }
  };
  const closeAll = () => Promise.all([...open].map((course) => course.close()));
  return { done: Promise.all(Array.from({ length: homes }, work)), closeAll };
}

async function runCourse({ number, rounds, seed, program, onRound, isKept, open, shouldStop }) {
  let course = null;
  const close = async (how) => {
    if (course === null) return;
    const ending = course;
    course = null;
    await ending.close(how);
    open.delete(ending);
  };
  try {
    for (const [step, fault] of rounds.entries()) {
      if (shouldStop()) return;
      const random = randomFrom(`${seed}.${number}.${step}`);
      if (course === null || fault.place !== undefined) {
        await close();
        const secret = `canary-${number}-${random.below(1e9)}-secret`;
        course = await Course.open({ program, random, secret, ...fault.place });
        open.add(course);
      }
      course.random = random;
      const start = performance.now();
      const outcome = await withLimit(runRound(course, fault));
      const tookMs = performance.now() - start;
      const isBad = outcome.problems.length > 0;
      const { root } = course.place;
      onRound({ fault, ...outcome, tookMs, seed: `${seed}.${number}.${step}`, root });
      if (isBad || fault.place !== undefined) await close({ isKept: isBad && isKept });
    }
  } finally {
    await close();
  }
}

async function withLimit(round) {
  let timer;
  const limit = new Promise((resolve) => {
    const late = { struck: true, problems: ['the round did not end in time'] };
    timer = setTimeout(() => resolve(late), ROUND_LIMIT_MS);
  });
  const failing = round.catch((error) => ({
    struck: true,
    problems: [`the harness failed: ${error.stack ?? error}`],
  }));
  try {
    return await Promise.race([failing, limit]);
  } finally {
    clearTimeout(timer);
  }
}
