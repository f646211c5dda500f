import { watch } from 'node:fs';
import { join } from 'node:path';
import { openBareTmux } from '../lib/bare-tmux.mjs';
import { ratioRow } from '../lib/bench-rows.mjs';
import { fillRepository, gitIn } from '../lib/large-repository.mjs';
import { pause } from '../chaos/wait.mjs';
import { openLivePlace } from '../lib/live-place.mjs';
import { median } from '../lib/statistics.mjs';

const LIMIT_MS = 120_000;
/** A worktree that is free for a moment has been looked through. */
const REST_MS = 3000;
const AGENT = ': > "$SAID/$ORANGE_TASK_ID$1"\nexec sleep 1000000\n';

/** From the wish at the daemon's socket to the agent's first instruction, in a warm worktree. */
export async function measure({ isQuick }) {
  const files = isQuick ? 500 : 50_000;
  const place = await openLivePlace({ script: AGENT, poolSize: 1 });
  const bare = await openBareTmux();
  const said = join(place.root, 'said');
  const git = gitIn(place.env);
  try {
    await fillRepository(git, place.repository, files);
    await place.daemon.start();
    const [warm] = await place.createTasks(1);
    const bareTree = join(place.root, 'bare');
    await git(place.repository, 'worktree', 'add', '-q', '--detach', bareTree);
    await place.cancel(warm);
    const times = { orange: [], bare: [] };
    for (let round = 0; round < 15; round += 1) {
      const id = await place.createHeldTask();
      await pause(REST_MS);
      const spawn = { kind: 'task.spawn', taskId: id, force: false };
      times.orange.push(
        await timeFile(said, `${id}worker`, () => void place.daemon.client.submit(spawn, LIMIT_MS)),
      );
      await place.cancel(id);
      const name = `bare-${round}`;
      times.bare.push(
        await timeFile(said, name, async () => {
          await git(bareTree, 'switch', '-c', name);
          const argv = ['/bin/sh', join(place.root, 'agent.sh'), name];
          const session = ['-d', '-s', name, '-c', bareTree, '-e', `SAID=${said}`];
          await bare.tmux('new-session', ...session, '-e', 'ORANGE_TASK_ID=', '--', ...argv);
        }),
      );
      await git(bareTree, 'checkout', '-q', '--detach', 'main');
    }
    const raw = { name: '`git switch -c` + `tmux new-session`', ms: median(times.bare) };
    const what = `\`task spawn\` → agent's first instruction, warm, ${files.toLocaleString('en')} files`;
    return [ratioRow(what, median(times.orange), raw, 1.5)];
  } finally {
    await bare.close();
    await place.close();
  }
}

async function timeFile(folder, name, act) {
  let watcher;
  const seen = new Promise((resolve, reject) => {
    watcher = watch(folder, (_event, file) => {
      if (file === name) resolve(performance.now());
    });
    setTimeout(() => reject(new Error(`${name} never started`)), LIMIT_MS).unref();
  });
  const start = performance.now();
  await act();
  const took = (await seen) - start;
  watcher.close();
  return took;
}
