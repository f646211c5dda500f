import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from '../chaos/processes.mjs';
import { awaitState } from '../chaos/wait.mjs';
import { historyText, makeBenchHome, writeTasks } from '../lib/bench-home.mjs';
import { ratioRow, worstRow } from '../lib/bench-rows.mjs';
import { bundlePart } from '../lib/bundle-part.mjs';
import { openLivePlace } from '../lib/live-place.mjs';
import { runProgram } from '../lib/run-program.mjs';
import { startBareDaemon } from '../lib/start-bare-daemon.mjs';
import { median } from '../lib/statistics.mjs';

const LIMIT_MS = 30_000;
const TASKS = 300;
const DEATHS = 3;
const SCRIPT = 'echo $$ > "$SAID/$ORANGE_TASK_ID.pid"\nexec sleep 1000000\n';

/** How long a daemon takes until it answers: with many tasks, with a long history, after a kill. */
export async function measure({ isQuick }) {
  return [await startWithMany(isQuick), await startWithLong(isQuick), ...(await recover(isQuick))];
}

async function startWithMany(isQuick) {
  const tasks = isQuick ? 500 : 5_000;
  const place = await makeBenchHome(tasks, { doneShare: 0.9, events: 20 });
  try {
    // Bundled as orange is, so that it is not slower for loading many files.
    const reader = await bundlePart('scripts/lib/bare-reader.mjs', 'bare-reader');
    const times = { daemon: [], bare: [] };
    for (let round = 0; round < (isQuick ? 3 : 9); round += 1) {
      times.bare.push(await timeReader(reader, place, tasks));
      times.daemon.push(await timeStart(place));
    }
    const bare = { name: 'reading and parsing the same files', ms: median(times.bare) };
    return ratioRow(`daemon start, ${tasks} tasks`, median(times.daemon), bare, 2);
  } finally {
    place.remove();
  }
}

async function timeReader(reader, { home }, tasks) {
  const start = performance.now();
  const ended = await runProgram(process.execPath, [reader, home], { timeoutMs: 120_000 });
  const took = performance.now() - start;
  if (ended.stdout !== `${tasks}\n`) throw new Error(`the reader found ${ended.stdout}`);
  return took;
}

async function timeStart(place) {
  const start = performance.now();
  const daemon = await startBareDaemon(place);
  const took = performance.now() - start;
  await daemon.end('SIGTERM');
  return took;
}

/** F22: a history of a million lines. */
async function startWithLong(isQuick) {
  const lines = isQuick ? 100_000 : 1_000_000;
  const place = await makeBenchHome(0);
  try {
    const [folder] = writeTasks(place.home, { project: 'bench', count: 1 });
    const id = folder.slice(-21);
    const text = historyText({ id, project: 'bench', isDone: false, events: lines });
    writeFileSync(join(folder, 'history.jsonl'), text);
    const times = [];
    for (let round = 0; round < 3; round += 1) times.push(await timeStart(place));
    return worstRow(`daemon start, a history of ${lines} lines (F22)`, times);
  } finally {
    place.remove();
  }
}

/**
 * G8: a daemon that was killed in the middle of a move, with 300 tasks and 200,000 lines of history.
 * Meanwhile some agents died and the others went on.
 */
async function recover(isQuick) {
  const rounds = isQuick ? 2 : 10;
  const agents = DEATHS * rounds + (isQuick ? 2 : 10);
  const policy = { auto_respawn: false, crash_limit: 1000 };
  const place = await openLivePlace({ script: SCRIPT, settings: { policy }, poolSize: agents });
  try {
    const count = TASKS - agents - rounds;
    const events = Math.ceil((isQuick ? 20_000 : 200_000) / count);
    writeTasks(place.home, { project: 'shop', count, events });
    await place.daemon.start();
    const ids = await place.createTasks(agents);
    const times = { ready: [], reconciled: [] };
    for (let round = 0; round < rounds; round += 1) {
      const dead = ids.slice(round * DEATHS, (round + 1) * DEATHS);
      const { readyMs, reconciledMs } = await timeRecovery(place, dead);
      times.ready.push(readyMs);
      times.reconciled.push(reconciledMs);
    }
    const lines = (count * events).toLocaleString('en');
    const what = `killed in a move → ready, ${TASKS} tasks, ${lines} lines of history, ${agents} agents, ${DEATHS} dead`;
    return [
      worstRow(what, times.ready),
      worstRow('the same → move completed, deaths recorded (G8)', times.reconciled),
    ];
  } finally {
    await place.close();
  }
}

async function timeRecovery(place, dead) {
  const moved = await place.createHeldTask();
  await killInMove(place, moved);
  for (const id of dead) endProcess(pidOf(place, id));
  const start = performance.now();
  if (!(await place.daemon.start())) throw new Error(`does not start: ${place.daemon.errors}`);
  const readyMs = performance.now() - start;
  const isDone = () => owed(place, { moved, dead }) === 0;
  if ((await awaitState(isDone, LIMIT_MS, 5)) === undefined) throw new Error('never reconciled');
  return { readyMs, reconciledMs: performance.now() - start };
}

/** The daemon dies when the file has its new status, and the history does not know it yet. */
async function killInMove({ daemon, history }, taskId) {
  await daemon.end('SIGTERM');
  await daemon.start({ failpoint: 'cancel.committed:kill' });
  void daemon.client.submit({ kind: 'task.cancel', taskId, reason: null }, LIMIT_MS);
  if (!(await daemon.awaitEnd(LIMIT_MS))) throw new Error('the daemon was not killed');
  if (moves(history(taskId)) > 0) throw new Error('nothing is owed');
}

/** How much is still to be done: entries of the outbox, a move, and ends of agents. */
function owed(place, { moved, dead }) {
  const outbox = join(place.home, 'run', 'outbox');
  // What was done is emptied, and its file used again.
  const entries = readdirSync(outbox).filter((name) => statSync(join(outbox, name)).size > 0);
  const isMoved = moves(place.history(moved)) === 1;
  const isKnown = (id) => place.history(id).some(({ type }) => type === 'agent.crashed');
  return entries.length + (isMoved ? 0 : 1) + dead.filter((id) => !isKnown(id)).length;
}

function moves(history) {
  return history.filter(({ to }) => to === 'cancelled').length;
}

function pidOf(place, id) {
  return Number(readFileSync(join(place.root, 'said', `${id}.pid`), 'utf8'));
}
