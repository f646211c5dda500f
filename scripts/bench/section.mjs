import { appendFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { openBareTmux } from '../lib/bare-tmux.mjs';
import { limitRow, ratioRow } from '../lib/bench-rows.mjs';
import { openLivePlace } from '../lib/live-place.mjs';
import { median, quantile } from '../lib/statistics.mjs';
import { awaitState } from '../chaos/wait.mjs';

const LIMIT_MS = 30_000;
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
  const rounds = isQuick ? 6 : 40;
  const settings = { policy: { settle_ms: 0 } };
  const place = await openLivePlace({ script: SCRIPT, settings, poolSize: rounds });
  const bare = await openBareTmux();
  try {
    await place.daemon.start();
    const ids = await place.createTasks(rounds);
    await awaitWorking(place, ids);
    const said = watchFolder(join(place.root, 'said'));
    const times = { orange: [], bare: [] };
    for (const [index, id] of ids.entries()) {
      const write = () => appendFileSync(place.taskFile(id), HANDOFF);
      times.orange.push(await said.time(id, write));
      times.bare.push(await said.time(`bare-${index}`, () => openWindow(place, bare, index)));
    }
    said.close();
    const window = { name: '`tmux new-window` of the same command', ms: median(times.bare) };
    const p95 = { name: 'its p95', ms: quantile(times.bare, 0.95) };
    return [
      ratioRow(
        "section written → next agent's process, settle off, p50",
        median(times.orange),
        window,
        3,
      ),
      ratioRow('the same, p95', quantile(times.orange, 0.95), p95),
      limitRow('the same, p95 (G7)', {
        value: quantile(times.orange, 0.95),
        unit: 'ms',
        most: 100,
      }),
      limitRow('the same, at most (G7)', {
        value: Math.max(...times.orange),
        unit: 'ms',
        most: 1500,
      }),
    ];
  } finally {
    await bare.close();
    await place.close();
  }
}

async function awaitWorking(place, ids) {
  for (const id of ids) {
    const isWorking = () => place.history(id).some(({ to }) => to === 'working');
    if ((await awaitState(isWorking, LIMIT_MS)) === undefined) throw new Error(`${id} never works`);
  }
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
