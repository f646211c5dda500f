import { parseArgs } from 'node:util';
import { Course } from './chaos/course.mjs';
import { allFaults } from './chaos/faults/list.mjs';
import { randomFrom } from './chaos/random.mjs';
import { runRound } from './chaos/round.mjs';
import { inCheckout } from './lib/checkout.mjs';
import { runMain } from './lib/run-main.mjs';
import { say } from './lib/say.mjs';

await runMain(async (argv) => {
  const { values } = parseArgs({
    args: argv,
    options: { rounds: { type: 'string' }, seed: { type: 'string' }, fault: { type: 'string' } },
  });
  const random = randomFrom(values.seed ?? '1');
  const faults = allFaults().filter(
    ({ name }) => values.fault === undefined || name.includes(values.fault),
  );
  const course = await Course.open({
    program: inCheckout('dist/orange.js'),
    random,
    secret: `canary-${random.below(1e9)}-secret`,
  });
  say(course.place.root);
  let bad = 0;
  try {
    for (let n = 0; n < Number(values.rounds ?? 5); n += 1) {
      const fault = faults[n % faults.length];
      const start = performance.now();
      const { struck, passes, problems } = await runRound(course, fault);
      say(
        `${n} ${fault.name} ${struck ? 'struck' : '-'} ${passes} ${Math.round(performance.now() - start)} ms`,
      );
      for (const problem of problems) say(`  ${problem}`);
      bad += problems.length;
      if (problems.length > 0) break;
    }
  } finally {
    await course.close({ isKept: bad > 0 });
  }
  return bad > 0 ? 1 : 0;
});
