import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { randomFrom } from '../chaos/random.mjs';
import { awaitState, pause } from '../chaos/wait.mjs';
import { openLivePlace } from '../lib/live-place.mjs';
import { poolInput, projectsInput, settingsInput, socketInput, taskInput } from './inputs.mjs';

const LIMIT_MS = 30_000;
const LOOK_MS = 60;
const PLAN = String.raw`printf '\n## Plan\n\nAPPROACH: at once\n' >> "$ORANGE_TASK_FILE"; exec sleep 1000000`;

/** The same inputs in the files and on the socket of a running daemon, beside a task at work. */
export async function fuzzLive({ seed, canary, count }) {
  const random = randomFrom(`${seed}:daemon`);
  const settings = { sweep_seconds: 0.1, reconcile_seconds: 1, policy: { settle_ms: 0 } };
  const place = await openLivePlace({ script: `${PLAN}\n`, settings, poolSize: 1 });
  const problems = [];
  try {
    await place.daemon.start();
    const [id] = await place.createTasks(1);
    const isWorking = () => place.history(id).some(({ to }) => to === 'working') || null;
    if ((await awaitState(isWorking, LIMIT_MS)) === undefined) throw new Error('never working');
    for (let index = 0; index < count; index += 1) {
      const problem = await attack({ place, id, random, canary });
      if (problem !== null) problems.push({ index, problem });
    }
  } finally {
    await place.close();
  }
  return { kind: 'daemon', count, problems, worstMs: null };
}

async function attack({ place, id, random, canary }) {
  const strike = random.pick(STRIKES);
  const before = place.history(id).filter(isMove).length;
  const restore = await strike({ place, id, random, canary });
  await pause(LOOK_MS);
  const answer = await place.daemon.client.call({ method: 'status' }, LIMIT_MS);
  restore();
  if (!place.daemon.isRunning) return `the daemon died: ${place.daemon.errors}`;
  if (answer.result?.running !== true) return 'the daemon does not answer';
  const after = place.history(id).filter(isMove).length;
  return after === before ? null : 'a task was moved by a file that cannot be read';
}

const isMove = ({ type }) => type === 'status.changed' || type === 'auto.advanced';

const STRIKES = [
  ({ place, id, random, canary }) => replaceFor(place.taskFile(id), tornTask(random, canary)),
  ({ place, random }) => replaceFor(join(place.home, 'projects.json'), projectsInput(random)),
  ({ place, random }) => replaceFor(join(place.home, 'config.yaml'), settingsInput(random)),
  ({ place, random }) => replaceFor(join(place.home, 'workspaces/.pool.json'), poolInput(random)),
  async ({ place, random }) => {
    await shout(place.socket, socketInput(random).replaceAll('stop', 'step'));
    return () => undefined;
  },
];

/** Frontmatter that no reader accepts: its closing line is gone. */
function tornTask(random, canary) {
  return taskInput(random, canary)
    .replaceAll(/^---[ \t]*\r?$/gm, '--')
    .slice(0, 200_000);
}

/** Puts a text in the place of a file; gives how to put back what was there. */
function replaceFor(path, text) {
  const before = readFileSync(path, 'utf8');
  const replace = (content) => {
    writeFileSync(`${path}.fuzz`, content);
    renameSync(`${path}.fuzz`, path);
  };
  replace(text);
  return () => replace(before);
}

function shout(socket, text) {
  return new Promise((resolve) => {
    const client = createConnection({ path: socket });
    client.on('error', () => resolve());
    client.on('data', () => undefined);
    client.end(text, () => resolve());
  });
}
