import { appendFileSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { awaitState, pause } from '../chaos/wait.mjs';
import { openBareTmux } from '../lib/bare-tmux.mjs';
import { limitRow, ratioRow } from '../lib/bench-rows.mjs';
import { openLivePlace } from '../lib/live-place.mjs';
import { median, quantile } from '../lib/statistics.mjs';
import { canBeWithoutInotify, WITHOUT_INOTIFY } from '../lib/without-inotify.mjs';

const LIMIT_MS = 30_000;
/** Until what followed the section before is over. */
const CALM_MS = 100;
/** Where nothing is watched, each task is looked at once in so long. */
const SWEEP_MS = 1000;
const MOST_MS = { p95: 100, worst: 1500 };
const HANDOFF = '\n## Handoff\n\nDONE: all of it\n';
// The worker plans and then waits for the measurement, which writes the Handoff in its place.
const SCRIPT = `case $1 in
  worker) printf '\\n## Plan\\n\\nAPPROACH: at once\\n' >> "$ORANGE_TASK_FILE" ;;
  reviewer) : > "$SAID/$ORANGE_TASK_ID" ;;
  *) : > "$SAID/$1" ;;
esac
exec sleep 1000000
`;

/** From a section that is written to the first step of the agent which is started because of it. */
export async function measure({ isQuick }) {
  const isPossible = await canBeWithoutInotify();
  return [
    ...(await whileWatched(isQuick ? 6 : 40)),
    isPossible ? await whileUnwatched(isQuick ? 4 : 24) : UNWATCHED,
  ];
}

async function whileWatched(rounds) {
  const place = await openPlace(3 * rounds);
  const bare = await openBareTmux();
  try {
    await place.daemon.start();
    const ids = await workingTasks(place, rounds);
    const said = watchFolder(join(place.root, 'said'));
    const times = { orange: [], bare: [] };
    for (const [index, id] of ids.entries()) {
      times.orange.push(await said.time(id, () => append(place, id)));
      times.bare.push(await said.time(`bare-${index}`, () => openWindow(place, bare, index)));
    }
    const replaced = await timeReplaced(place, said, rounds);
    said.close();
    return [
      ...comparedRows(times),
      ...limitRows('the same', times.orange),
      ...limitRows('the same, TASK.md replaced by rename', replaced.file, ', F36'),
      ...limitRows("the same, the worktree's link replaced by rename", replaced.link, ', F36'),
    ];
  } finally {
    await bare.close();
    await place.close();
  }
}

/** In turns: a new file in the place of the task's own, and in that of the link to it. */
async function timeReplaced(place, said, rounds) {
  const ids = await workingTasks(place, 2 * rounds);
  const times = { file: [], link: [] };
  for (const [index, id] of ids.entries()) {
    const isLink = index % 2 === 1;
    const path = isLink ? await linkOf(place, id) : place.taskFile(id);
    await pause(CALM_MS);
    times[isLink ? 'link' : 'file'].push(await said.time(id, () => replace(path)));
  }
  return times;
}

const UNWATCHED = {
  what: 'the same, no inotify for the daemon, at most (G7, F18)',
  figure: 'not measured: needs a user namespace',
  limit: `≤ ${MOST_MS.worst} ms`,
};

/** The daemon may watch no file, so it has to look by itself. */
async function whileUnwatched(rounds) {
  const place = await openPlace(rounds);
  try {
    await place.daemon.start({ wrap: WITHOUT_INOTIFY });
    const ids = await workingTasks(place, rounds);
    const { result } = await place.daemon.client.call({ method: 'status' });
    if (result.sources.files.state !== 'broken') throw new Error('the daemon watches files');
    const said = watchFolder(join(place.root, 'said'));
    const times = [];
    for (const [index, id] of ids.entries()) {
      const write = () => (index % 2 === 0 ? append(place, id) : replace(place.taskFile(id)));
      // At any moment between two looks.
      await pause(Math.random() * SWEEP_MS);
      times.push(await said.time(id, write));
    }
    said.close();
    const worst = { value: Math.max(...times), unit: 'ms', most: MOST_MS.worst };
    return {
      ...limitRow(UNWATCHED.what, worst),
      compared: `${median(times).toFixed(0)} ms in the middle`,
    };
  } finally {
    await place.close();
  }
}

function comparedRows({ orange, bare }) {
  const window = { name: '`tmux new-window` of the same command', ms: median(bare) };
  const p95 = { name: 'its p95', ms: quantile(bare, 0.95) };
  const what = "section written → next agent's process, settle off, p50";
  return [
    ratioRow(what, median(orange), window, 3),
    ratioRow('the same, p95', quantile(orange, 0.95), p95),
  ];
}

function limitRows(what, times, fault = '') {
  const figures = [
    ['p95', quantile(times, 0.95), MOST_MS.p95],
    ['at most', Math.max(...times), MOST_MS.worst],
  ];
  return figures.map(([name, value, most]) =>
    limitRow(`${what}, ${name} (G7${fault})`, { value, unit: 'ms', most }),
  );
}

function openPlace(poolSize) {
  return openLivePlace({ script: SCRIPT, settings: { policy: { settle_ms: 0 } }, poolSize });
}

async function workingTasks(place, count) {
  const ids = await place.createTasks(count);
  for (const id of ids) {
    const isWorking = () => place.history(id).some(({ to }) => to === 'working');
    if ((await awaitState(isWorking, LIMIT_MS)) === undefined) throw new Error(`${id} never works`);
  }
  return ids;
}

async function linkOf({ daemon, home }, id) {
  const { result } = await daemon.client.call({ method: 'snapshot' });
  const { fields } = result.tasks.find((task) => task.fields.id === id);
  return join(home, 'workspaces', fields.workspace, 'TASK.md');
}

function append(place, id) {
  appendFileSync(place.taskFile(id), HANDOFF);
}

/** As editors save: a whole new file takes the place of the one at this path. */
function replace(path) {
  const next = join(dirname(path), '.TASK.md.new');
  writeFileSync(next, `${readFileSync(path, 'utf8')}${HANDOFF}`);
  renameSync(next, path);
}

function openWindow(place, bare, index) {
  const said = join(place.root, 'said');
  const argv = ['/bin/sh', join(place.root, 'agent.sh'), `bare-${index}`];
  void bare.tmux('new-window', '-d', '-e', `SAID=${said}`, '-t', '=keep:', '--', ...argv);
}

/** Tells when files appear in a folder. */
function watchFolder(folder) {
  const waiting = new Map();
  const watcher = watch(folder, (_event, name) => waiting.get(name)?.(performance.now()));
  return {
    time: async (name, act) => {
      const seen = new Promise((resolve, reject) => {
        waiting.set(name, resolve);
        setTimeout(() => reject(new Error(`${name} never started`)), LIMIT_MS).unref();
      });
      const start = performance.now();
      act();
      return (await seen) - start;
    },
    close: () => watcher.close(),
  };
}
