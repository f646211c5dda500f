import { spawn } from 'node:child_process';
import { pause } from '../chaos/wait.mjs';
import { writeTasks } from '../lib/bench-home.mjs';
import { limitRow, percent } from '../lib/bench-rows.mjs';
import { inCheckout } from '../lib/checkout.mjs';
import { openLivePlace } from '../lib/live-place.mjs';
import { cpuShare, rssBytes } from '../lib/process-use.mjs';

const MOST = 200;
const TASKS = 2_000;
// Until what was left of the set-up is collected.
const SETTLE_MS = 40_000;
const ABREAST = 8;

/** What the daemon costs while nothing happens, with few and with many sessions; and its memory. */
export async function measure({ isQuick }) {
  const sizes = isQuick ? [4, 6, 10, 20] : [10, 30, 100, MOST];
  const forMs = isQuick ? 5_000 : 60_000;
  const most = sizes.at(-1);
  const place = await openLivePlace({ script: 'exec sleep 1000000\n', poolSize: most });
  try {
    writeTasks(place.home, { project: 'shop', count: TASKS - most, doneShare: 0.9, events: 20 });
    await place.daemon.start();
    const use = new Map();
    let loop = null;
    for (const size of sizes) {
      await place.createTasks(size - (await countSessions(place)));
      await pause(SETTLE_MS);
      use.set(size, await idleShare(place, forMs));
      if (size === sizes[2]) loop = await loopShare(place, forMs);
    }
    const memory = limitRow(`daemon memory, ${most} sessions and ${TASKS} tasks`, {
      value: rssBytes(place.daemon.pid) / 2 ** 20,
      unit: 'MB RSS',
      most: 150,
    });
    // A young daemon may cost more than one that has run for a while, so the few are looked at again.
    await endSessions(place, most - sizes[0]);
    await pause(SETTLE_MS);
    const again = await idleShare(place, forMs);
    return [...cpuRows(sizes, { use, loop, again }), memory];
  } finally {
    await place.close();
  }
}

function cpuRows([few, some, many, most], { use, loop, again }) {
  const share = percent(use.get(many));
  const growth = use.get(most) / Math.min(use.get(few), again);
  return [
    {
      what: `idle daemon, ${many} sessions, of a core`,
      figure: share,
      compared: `1/${Math.round(loop / use.get(many))} of a loop of \`capture-pane\` each 500 ms (${percent(loop)})`,
      limit: '≤ 1/100',
      isMet: loop / use.get(many) >= 100,
    },
    limitRow(`idle daemon, ${some} sessions, of a core`, {
      value: use.get(some) * 100,
      unit: '%',
      most: 0.5,
      digits: 2,
    }),
    {
      what: `idle daemon, from ${few} to ${most} sessions and back`,
      figure: `${percent(use.get(few))} → ${percent(use.get(most))} → ${percent(again)}`,
      compared: `${growth.toFixed(2)} × the lesser of the two with ${few}`,
      limit: '≤ 2 ×',
      isMet: growth <= 2,
    },
  ];
}

async function countSessions(place) {
  return (await place.daemon.client.call({ method: 'status' })).result.sessions;
}

async function endSessions(place, count) {
  const { result } = await place.daemon.client.call({ method: 'snapshot' });
  const live = result.tasks.filter(({ session }) => session === 'active').slice(0, count);
  const work = async () => {
    for (let next = live.pop(); next !== undefined; next = live.pop()) {
      await place.cancel(next.fields.id);
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, work));
}

/** The share of a core that the daemon, its children and the terminal server take. */
async function idleShare(place, forMs) {
  return cpuShare([place.daemon.pid, await place.tmuxPid()], forMs);
}

async function loopShare(place, forMs) {
  const sessions = await listSessions(place);
  const script = inCheckout('scripts/lib/capture-loop.mjs');
  const loop = spawn(process.execPath, [script, place.tmuxSocket, ...sessions], {
    stdio: 'ignore',
  });
  try {
    await pause(1000);
    return await cpuShare([loop.pid, await place.tmuxPid()], forMs);
  } finally {
    loop.kill('SIGKILL');
  }
}

async function listSessions(place) {
  const { result } = await place.daemon.client.call({ method: 'snapshot' });
  return result.tasks.flatMap(({ fields, session }) =>
    session === 'active' ? [fields.tmux_session] : [],
  );
}
