import { inCheckout } from '../lib/checkout.mjs';
import { median } from '../lib/median.mjs';
import { runProgram } from '../lib/run-program.mjs';
import { makeBenchHome } from '../lib/bench-home.mjs';

const ROUNDS = 20;
const TASKS = 100;

/** How long short commands take from start to end, next to a Node that does nothing. */
export async function measure() {
  const { home, remove } = makeBenchHome(TASKS);
  const env = { ...process.env, ORANGE_HOME: home };
  const orange = inCheckout('dist/orange.js');
  const cases = {
    'node -e 0': ['-e', '0'],
    'orange --version': [orange, '--version'],
    [`orange task list --all --json, ${TASKS} tasks, no daemon`]: [
      orange,
      'task',
      'list',
      '--all',
      '--json',
    ],
  };
  try {
    return compare(await timeInTurns(cases, env));
  } finally {
    remove();
  }
}

// In turns, so that a busy moment of the machine touches all of them alike.
async function timeInTurns(cases, env) {
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(cases)) {
      const start = performance.now();
      const ended = await runProgram(process.execPath, args, { env, timeoutMs: 30_000 });
      if (ended.code !== 0) throw new Error(`${name}: ${ended.stdout}${ended.stderr}`);
      times[name].push(performance.now() - start);
    }
  }
  return times;
}

function compare(times) {
  const [[against, firstTimes], ...rest] = Object.entries(times);
  const floor = median(firstTimes);
  return [
    { what: against, ms: floor, ratio: 1, against },
    ...rest.map(([what, all]) => ({ what, ms: median(all), ratio: median(all) / floor, against })),
  ];
}
