import { makeBenchHome } from '../lib/bench-home.mjs';
import { inCheckout } from '../lib/checkout.mjs';
import { ratioRow } from '../lib/bench-rows.mjs';
import { runProgram } from '../lib/run-program.mjs';
import { startBareDaemon } from '../lib/start-bare-daemon.mjs';
import { median } from '../lib/statistics.mjs';

const TASKS = 1_000;

/** How long short commands take from start to end, next to a Node that does nothing. */
export async function measure({ isQuick }) {
  const place = await makeBenchHome(TASKS);
  const daemon = await startBareDaemon(place);
  try {
    const program = inCheckout('dist/orange.js');
    const cases = {
      bare: ['-e', '0'],
      version: [program, '--version'],
      list: [program, 'task', 'list', '--json'],
      filtered: [program, 'task', 'list', '--json', '--status', 'pending'],
    };
    for (const args of [cases.list, cases.filtered]) checkCount(await runOnce(args, place));
    const times = await timeInTurns(cases, place, isQuick ? 5 : 40);
    const bare = { name: 'node -e 0', ms: median(times.bare) };
    return [
      ratioRow('`orange --version`', median(times.version), bare, 1.4),
      ratioRow(
        `\`orange task list --json\`, ${TASKS} tasks, daemon up`,
        median(times.list),
        bare,
        2,
      ),
      ratioRow('the same with `--status`, by the whole command line', median(times.filtered), bare),
    ];
  } finally {
    await daemon.end();
    place.remove();
  }
}

/** A list that is quick because it is short would show nothing. */
function checkCount(stdout) {
  const { size } = new Set(JSON.parse(stdout).map(({ id }) => id));
  if (size !== TASKS) throw new Error(`it lists ${size} tasks, not ${TASKS}`);
}

// In turns, so that a busy moment of the machine touches all of them alike.
async function timeInTurns(cases, place, rounds) {
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(cases)) {
      const start = performance.now();
      await runOnce(args, place);
      times[name].push(performance.now() - start);
    }
  }
  return times;
}

async function runOnce(args, { home, folder }) {
  const env = { ...process.env, ORANGE_HOME: home };
  const ended = await runProgram(process.execPath, args, { env, cwd: folder, timeoutMs: 60_000 });
  if (ended.code !== 0) throw new Error(`${args.join(' ')}: ${ended.stdout}${ended.stderr}`);
  return ended.stdout;
}
