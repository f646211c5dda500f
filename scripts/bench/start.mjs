import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyText, makeBenchHome, writeTasks } from '../lib/bench-home.mjs';
import { inMs, ratioRow } from '../lib/bench-rows.mjs';
import { bundlePart } from '../lib/bundle-part.mjs';
import { runProgram } from '../lib/run-program.mjs';
import { startBareDaemon } from '../lib/start-bare-daemon.mjs';
import { median } from '../lib/statistics.mjs';

/** How long a daemon takes until it answers: with many tasks, with a long history, after a kill. */
export async function measure({ isQuick }) {
  return [await startWithMany(isQuick), await startWithLong(isQuick), await recover(isQuick)];
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

async function timeStart(place, signal = 'SIGTERM') {
  const start = performance.now();
  const daemon = await startBareDaemon(place);
  const took = performance.now() - start;
  await daemon.end(signal);
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
    return recoveryRow(`daemon start, a history of ${lines} lines (F22)`, times);
  } finally {
    place.remove();
  }
}

/** G8: 300 tasks and 200,000 lines of history in all, after a SIGKILL. */
async function recover(isQuick) {
  const place = await makeBenchHome(300, { events: isQuick ? 70 : 667 });
  try {
    const times = [];
    for (let round = 0; round < (isQuick ? 2 : 10); round += 1) {
      times.push(await timeStart(place, 'SIGKILL'));
    }
    return recoveryRow('SIGKILL → ready, 300 tasks, 200,000 lines of history (G8)', times.slice(1));
  } finally {
    place.remove();
  }
}

function recoveryRow(what, times) {
  const worst = Math.max(...times);
  const figure = `${inMs(median(times))}, at most ${inMs(worst)}`;
  return { what, figure, limit: '≤ 2 s', isMet: median(times) <= 2000 };
}
