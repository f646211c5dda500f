import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from '../chaos/processes.mjs';
import { awaitState } from '../chaos/wait.mjs';
import { limitRow, percent } from '../lib/bench-rows.mjs';
import { inCheckout } from '../lib/checkout.mjs';
import { openLivePlace } from '../lib/live-place.mjs';
import { cpuMs, cpuShare, rssBytes, tmuxClientsOf, writtenBytes } from '../lib/process-use.mjs';
import { median } from '../lib/statistics.mjs';

const LIMIT_MS = 30_000;
const MB = 2 ** 20;
/** Less than this in a second is no noise, and shows nothing. */
const LEAST = { printedMb: 1, rewrites: 500 };
const MOST = { printing: 5, growthMb: 8, rewriting: 10 };
const RSS_EVERY_MS = 250;
const SCRIPT = `how=$(cat "$SAID/how")
echo $$ > "$SAID/$ORANGE_TASK_ID.pid"
[ "$how" = print ] && exec yes 'what an agent says when it says it without end'
exec '${process.execPath}' '${inCheckout('scripts/lib/rewrite-without-end.mjs')}' "$how"
`;
const REWRITES = {
  'in-place': 'in place',
  renamed: 'by rename',
  copy: "by rename over the worktree's link",
};

/** What the daemon costs while one agent prints without end, or rewrites its TASK.md without pause. */
export async function measure({ isQuick }) {
  const settings = { policy: { auto_respawn: false } };
  const place = await openLivePlace({ script: SCRIPT, settings, poolSize: 1 });
  try {
    await place.daemon.start();
    // The daemon looks at every screen each 20 s, so at this one at least once.
    const rows = await print(place, isQuick ? 4_000 : 25_000);
    for (const [how, words] of Object.entries(REWRITES)) {
      rows.push(await rewrite(place, { how, words, forMs: isQuick ? 4_000 : 10_000 }));
    }
    return rows;
  } finally {
    await place.close();
  }
}

function print(place, forMs) {
  return withAgent(place, 'print', async (_id, pid) => {
    const printed = () => writtenBytes(pid) / MB;
    const server = await place.tmuxPid();
    const use = { before: cpuMs(server), memory: watchMemory(place.daemon.pid) };
    const { share, aSecond, tookMs } = await watchDaemon(place, { forMs, count: printed });
    const growthMb = use.memory.stop();
    const terminal = (cpuMs(server) - use.before) / tookMs;
    const noise = { aSecond, unit: 'MB/s', least: LEAST.printedMb };
    const row = shareRow('daemon while an agent prints without end (F64)', {
      share,
      most: MOST.printing,
      noise,
    });
    return [
      { ...row, compared: `${row.compared}, which cost tmux ${percent(terminal)}` },
      limitRow('the same, by how much its memory grows (F64)', {
        value: growthMb,
        unit: 'MB',
        most: MOST.growthMb,
      }),
    ];
  });
}

function rewrite(place, { how, words, forMs }) {
  return withAgent(place, how, async (id) => {
    await awaitNumber(place, `${id}.count`);
    const count = () => readNumber(place, `${id}.count`);
    const { share, aSecond } = await watchDaemon(place, { forMs, count });
    return shareRow(`daemon while an agent rewrites TASK.md ${words} without pause (F38)`, {
      share,
      most: MOST.rewriting,
      noise: { aSecond, unit: 'rewrites/s', least: LEAST.rewrites },
    });
  });
}

function shareRow(what, { share, most, noise }) {
  const { aSecond, unit, least } = noise;
  const row = limitRow(what, { value: share * 100, unit: '% of a core', most, digits: 2 });
  return {
    ...row,
    compared: `${aSecond.toFixed(0)} ${unit}`,
    limit: `${row.limit} at ≥ ${least} ${unit}`,
    isMet: row.isMet && aSecond >= least,
  };
}

/** One agent that makes its noise like this, as long as `act` takes. */
async function withAgent(place, how, act) {
  writeFileSync(join(place.root, 'said', 'how'), how);
  const [id] = await place.createTasks(1);
  const pid = await awaitNumber(place, `${id}.pid`);
  try {
    return await act(id, pid);
  } finally {
    // A request is refused while somebody writes the file each time that orange would.
    endProcess(pid);
    await place.cancel(id);
  }
}

/** The share of a core of the daemon and its client of tmux, and how much was counted in a second. */
async function watchDaemon({ daemon }, { forMs, count }) {
  const clients = tmuxClientsOf(daemon.pid);
  if (clients.length === 0) throw new Error('the daemon has no client of tmux');
  const [before, start] = [count(), performance.now()];
  const share = await cpuShare([daemon.pid, ...clients], forMs);
  const tookMs = performance.now() - start;
  return { share, tookMs, aSecond: ((count() - before) * 1000) / tookMs };
}

/** By how many megabytes a process grows: the middle of the last quarter beside that of the first. */
function watchMemory(pid) {
  const seen = [];
  const timer = setInterval(() => seen.push(rssBytes(pid) / MB), RSS_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      const quarter = Math.ceil(seen.length / 4);
      return median(seen.slice(-quarter)) - median(seen.slice(0, quarter));
    },
  };
}

async function awaitNumber(place, name) {
  const found = await awaitState(() => readNumber(place, name) || null, LIMIT_MS);
  if (found === undefined) throw new Error(`${name} was never written`);
  return found;
}

// Zero until it is there.
function readNumber(place, name) {
  try {
    return Number(readFileSync(join(place.root, 'said', name), 'utf8'));
  } catch {
    return 0;
  }
}
