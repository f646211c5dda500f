import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from '../chaos/processes.mjs';
import { awaitState, pause } from '../chaos/wait.mjs';
import { openBareTmux } from '../lib/bare-tmux.mjs';
import { inMs, limitRow, ratioRow } from '../lib/bench-rows.mjs';
import { openLivePlace } from '../lib/live-place.mjs';
import { monotonicMs } from '../lib/monotonic.mjs';
import { openPm2 } from '../lib/pm2.mjs';
import { mean, median, quantile } from '../lib/statistics.mjs';

const POLL_MS = 500;
const SETTLE_MS = 100;
const LIMIT_MS = 30_000;
const AGENT = ['sleep', '1000000'];
const SCRIPT = `echo $$ > "$SAID/$ORANGE_TASK_ID.pid"\nexec ${AGENT.join(' ')}\n`;

/** From the death of an agent to the moment when orange has recorded it, with many other agents alive. */
export async function measure({ isQuick }) {
  const live = isQuick ? 10 : 100;
  const kills = isQuick ? 8 : 40;
  const inRow = isQuick ? 5 : 20;
  const all = live + kills + inRow;
  const policy = { auto_respawn: false, crash_limit: 1000 };
  const place = await openLivePlace({ script: SCRIPT, settings: { policy }, poolSize: all });
  const bare = await openBareTmux();
  const pm2 = await openPm2();
  try {
    await place.daemon.start();
    const ids = await place.createTasks(all);
    const panes = await openPanes(bare, all);
    const orange = await followOrange(place);
    const times = { orange: [], bare: [], poller: [], pm2: [] };
    for (const [index, id] of ids.slice(0, kills).entries()) {
      await calm();
      times.orange.push(await orange.kill(id));
      const seen = await killPane(bare, panes[index]);
      times.bare.push(seen.clientMs);
      times.poller.push(seen.pollerMs);
      times.pm2.push(await killUnderPm2(pm2, `bench-${index}`));
    }
    const range = [kills, kills + inRow];
    const together = {
      orange: await eachInTurn(ids.slice(...range), orange.kill),
      bare: await eachInTurn(panes.slice(...range), (pane) => killUnderClient(bare, pane)),
      pm2: await killInRowUnderPm2(pm2, inRow),
    };
    checkHistories(place, ids.slice(0, kills + inRow), 'agent.crashed');
    const left = ids.slice(kills + inRow);
    const interruptedMs = await killServer(place, left);
    return [...rowsOf(times, live), ...rowsTogether(together), rowOfServer(left, interruptedMs)];
  } finally {
    await pm2.close();
    await bare.close();
    await place.close();
  }
}

function rowsOf(times, live) {
  const what = `agent exit → \`agent.crashed\` synced, ${live} live sessions, p50`;
  const ms = median(times.orange);
  const bare = { name: 'a bare control-mode client', ms: median(times.bare) };
  const pm2 = { name: 'pm2', ms: median(times.pm2) };
  const poller = mean(times.poller);
  return [
    ratioRow(what, ms, bare, 3),
    ratioRow(what, ms, pm2, 5),
    {
      what,
      figure: inMs(ms),
      compared: `${(poller / ms).toFixed(1)} × faster than a ${POLL_MS} ms poller (mean ${inMs(poller)})`,
      limit: '≥ 10 × faster',
      isMet: poller / ms >= 10,
    },
    ...[
      [0.95, 250],
      [0.99, 1500],
    ].map(([share, most]) =>
      limitRow(`the same, p${share * 100} (G7)`, {
        value: quantile(times.orange, share),
        unit: 'ms',
        most,
      }),
    ),
  ];
}

function rowsTogether(times) {
  const what = 'the same, one right after another, p50';
  const ms = median(times.orange);
  return [
    ratioRow(what, ms, { name: 'the client', ms: median(times.bare) }),
    ratioRow(what, ms, { name: 'pm2', ms: median(times.pm2) }),
  ];
}

async function eachInTurn(list, time) {
  const times = [];
  for (const each of list) times.push(await time(each));
  return times;
}

/** Orange pushes a task to its subscribers when what it decided is on disk. */
async function followOrange(place) {
  const waiting = new Map();
  await place.daemon.client.subscribe(({ tasks }) => {
    for (const { fields, session } of tasks) if (session === 'crashed') waiting.get(fields.id)?.();
  });
  return {
    kill: async (id) => {
      const path = join(place.root, 'said', `${id}.pid`);
      const pid = Number(readFileSync(path, 'utf8'));
      return timeUntil(
        (heard) => waiting.set(id, heard),
        () => process.kill(pid, 'SIGKILL'),
      );
    },
  };
}

async function openPanes(bare, count) {
  const panes = [];
  for (let number = 0; number < count; number += 1) {
    const format = ['-P', '-F', '#{pane_pid} #{session_name} #{window_id}'];
    const args = ['new-session', '-d', '-s', `s${number}`, ...format, '--', ...AGENT];
    const [pid, session, window] = (await bare.tmux(...args)).split(' ');
    panes.push({ pid: Number(pid), session, window });
  }
  return panes;
}

/** One death seen twice: by a client that is told, and by somebody who asks again and again. */
async function killPane(bare, { pid, session }) {
  const polled = deferred();
  const start = { ms: 0 };
  const poll = async () => {
    const names = await bare.tmux('list-sessions', '-F', '#{session_name}');
    if (!names.split('\n').includes(session)) polled.resolve(monotonicMs() - start.ms);
  };
  const timer = setInterval(() => void poll(), POLL_MS);
  try {
    await calm();
    const clientMs = await timeUntil(bare.listen, () => {
      start.ms = monotonicMs();
      process.kill(pid, 'SIGKILL');
    });
    return { clientMs, pollerMs: await polled.promise };
  } finally {
    clearInterval(timer);
  }
}

/** The client is told several things of one death; the one it may be told of by name is waited for. */
function killUnderClient(bare, { pid, window }) {
  const end = `-window-close ${window}\n`;
  let text = '';
  const listen = (heard) =>
    bare.listen((more) => {
      text += more;
      if (text.includes(end)) heard();
    });
  return timeUntil(listen, () => process.kill(pid, 'SIGKILL'));
}

async function killUnderPm2(pm2, name) {
  const pid = await pm2.start(name, AGENT);
  await calm();
  return timePm2(pm2, { name, pid });
}

async function killInRowUnderPm2(pm2, count) {
  const started = [];
  for (let number = 0; number < count; number += 1) {
    const name = `in-row-${number}`;
    started.push({ name, pid: await pm2.start(name, AGENT) });
  }
  await calm();
  return eachInTurn(started, (each) => timePm2(pm2, each));
}

async function timePm2(pm2, { name, pid }) {
  const noticed = pm2.noticed(name);
  const start = monotonicMs();
  process.kill(pid, 'SIGKILL');
  return (await noticed) - start;
}

/** Each death comes at any moment between two looks of a poller, when the one before is dealt with. */
async function calm() {
  await pause(SETTLE_MS + Math.random() * POLL_MS);
}

async function timeUntil(listen, act) {
  const heard = deferred();
  listen(() => heard.resolve(monotonicMs()));
  const start = monotonicMs();
  act();
  const late = setTimeout(() => heard.reject(new Error('nobody noticed')), LIMIT_MS);
  try {
    return (await heard.promise) - start;
  } finally {
    clearTimeout(late);
  }
}

/** F53: from the death of the terminal server to the last line of the history that tells of it. */
async function killServer(place, ids) {
  const server = await place.tmuxPid();
  await calm();
  const [start, owed] = [monotonicMs(), new Set(ids)];
  endProcess(server);
  const isTold = () => {
    for (const id of owed) {
      if (place.history(id).some(({ type }) => type === 'agent.interrupted')) owed.delete(id);
    }
    return owed.size === 0;
  };
  if ((await awaitState(isTold, LIMIT_MS, 5)) === undefined) {
    throw new Error(`${owed.size} of ${ids.length} agents are not interrupted`);
  }
  const took = monotonicMs() - start;
  checkHistories(place, ids, 'agent.interrupted');
  return took;
}

function rowOfServer({ length }, ms) {
  const what = `tmux server killed → the last of ${length} \`agent.interrupted\` in its history (F53)`;
  return limitRow(what, { value: ms, unit: 'ms', most: 2000 });
}

/** Each agent ended once, and as it should have. */
function checkHistories(place, ids, wanted) {
  const ends = new Set(['agent.crashed', 'agent.interrupted', 'agent.ended']);
  for (const id of ids) {
    const seen = place.history(id).flatMap(({ type }) => (ends.has(type) ? [type] : []));
    if (seen.join() !== wanted) throw new Error(`${id} has ${seen.join()}, not ${wanted}`);
  }
}

// Promise.withResolvers came with Node 22.
function deferred() {
  let settle;
  const promise = new Promise((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
