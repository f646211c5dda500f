import { randomFrom } from '../chaos/random.mjs';
import { awaitState } from '../chaos/wait.mjs';
import { openLivePlace } from '../lib/live-place.mjs';
import { STRIKES } from './live-strikes.mjs';
import { refuseMove } from './oracle-task.mjs';

const LIMIT_MS = 30_000;
const PLAN = String.raw`printf '\n## Plan\n\nAPPROACH: at once\n' >> "$ORANGE_TASK_FILE"; exec sleep 1000000`;

/**
 * The same inputs in the files and on the socket of a running daemon, beside a task at work. Each kind
 * of strike has its turn, and stays until the daemon has looked at it.
 */
export async function fuzzLive({ seed, canary, count }) {
  const random = randomFrom(`${seed}:daemon`);
  const settings = { sweep_seconds: 0.1, reconcile_seconds: 1, policy: { settle_ms: 0 } };
  const place = await openLivePlace({ script: `${PLAN}\n`, settings, poolSize: 1 });
  const problems = [];
  const kinds = Object.keys(STRIKES);
  try {
    await place.daemon.start();
    const [id] = await place.createTasks(1);
    const isWorking = () => place.history(id).some(({ to }) => to === 'working') || null;
    if ((await awaitState(isWorking, LIMIT_MS)) === undefined) throw new Error('never working');
    for (let index = 0; index < count; index += 1) {
      const kind = kinds[index % kinds.length];
      const problem = await attack(kind, { place, id, random, canary, number: index });
      if (problem !== null) problems.push({ index, problem: `${kind}: ${problem}` });
    }
  } finally {
    await place.close();
  }
  return { kind: 'daemon', count, problems, worstMs: null };
}

async function attack(kind, means) {
  const { place, id } = means;
  const before = place.history(id).filter(isMove).length;
  const { undo, text = null, hasLooked } = await STRIKES[kind](means);
  const isSeen = await hasLooked();
  const isAlive = place.daemon.isRunning;
  const answer = isAlive ? await place.daemon.client.call({ method: 'status' }, LIMIT_MS) : {};
  const { errors } = place.daemon;
  if (isAlive) await undo();
  else await startAgain(place, undo);
  if (!isAlive) return `the daemon died: ${errors}`;
  if (!isSeen) return 'the daemon has not looked at it';
  if (answer.result?.running !== true) return 'the daemon does not answer';
  const moves = place.history(id).filter(isMove).slice(before);
  return moves.map((move) => judgeMove(move, text, id)).find((wrong) => wrong !== null) ?? null;
}

/** Puts back what was there and lets another daemon find it so. */
async function startAgain({ daemon }, undo) {
  const isUndone = undo();
  if (!(await daemon.start())) throw new Error(`no daemon starts any more: ${daemon.errors}`);
  await isUndone;
}

const isMove = ({ type }) => type === 'status.changed' || type === 'auto.advanced';

function judgeMove({ from, to }, text, id) {
  const wrong =
    text === null ? 'by what is no TASK.md' : refuseMove(text, { from, to, id, project: 'shop' });
  return wrong === null ? null : `the task was moved from ${from} to ${to} ${wrong}`;
}
