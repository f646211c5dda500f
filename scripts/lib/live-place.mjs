import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon } from '../chaos/daemon.mjs';
import { endProcess, processesOf } from '../chaos/processes.mjs';
import { pause } from '../chaos/wait.mjs';
import { inCheckout } from './checkout.mjs';
import { removeRoot } from './remove-root.mjs';
import { runProgram } from './run-program.mjs';
import { makeRoot, write } from './throwaway-root.mjs';

const END_LIMIT_MS = 30_000;
const START_LIMIT_MS = 120_000;
/** How many tasks are asked for at once; more only wait in the repository's queue. */
const ABREAST = 8;

/** A throw-away home with a small repository, whose agents are one shell script, and its daemon. */
export async function openLivePlace({ script, settings = {}, poolSize }) {
  const { root, home, env } = makeRoot({ prefix: 'ol-', author: 'Bench' });
  const place = {
    root,
    home,
    repository: join(root, 'shop'),
    program: inCheckout('dist/orange.js'),
    socket: join(home, 'run', 'daemon.sock'),
    tmuxSocket: join(home, 'run', 'tmux.sock'),
    env,
  };
  await fill(place, { script, settings, poolSize });
  const daemon = new Daemon(place);
  return {
    ...place,
    daemon,
    taskFile: (id) => join(home, 'tasks', 'shop', id, 'TASK.md'),
    history: (id) => readHistory(join(home, 'tasks', 'shop', id, 'history.jsonl')),
    tmux: (...args) => askTmux(place, args),
    tmuxPid: async () => Number(await askTmux(place, ['display-message', '-p', '#{pid}'])),
    createTasks: (count) => createTasks(daemon, count),
    createHeldTask: () => createHeldTask(daemon),
    cancel: (taskId) => cancelTask(daemon, taskId),
    close: () => closePlace(daemon, root),
  };
}

async function fill({ root, home, repository, env }, { script, settings, poolSize }) {
  mkdirSync(join(root, 'said'));
  write(join(root, 'agent.sh'), script);
  write(join(repository, 'README.md'), '# Shop\n');
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'Start'],
  ]) {
    const ended = await runProgram('git', ['-C', repository, ...args], { env, timeoutMs: 30_000 });
    if (ended.code !== 0) throw new Error(`git ${args.join(' ')}: ${ended.stderr}`);
  }
  const row = { name: 'shop', path: repository, default_branch: 'main', pool_size: poolSize };
  write(join(home, 'projects.json'), JSON.stringify([row]));
  const command = (role) => ['/bin/sh', join(root, 'agent.sh'), role];
  const agent = {
    command: command('worker'),
    review: command('reviewer'),
    env: { SAID: join(root, 'said') },
  };
  const all = {
    notify: { desktop: false, bell: false },
    harnesses: { bench: agent },
    harness_order: ['bench'],
    ...settings,
  };
  // JSON is YAML too.
  write(join(home, 'config.yaml'), JSON.stringify(all, null, 2));
}

async function askTmux({ tmuxSocket, env }, args) {
  const options = { env, timeoutMs: 30_000 };
  const ended = await runProgram('tmux', ['-N', '-S', tmuxSocket, ...args], options);
  if (ended.code !== 0) throw new Error(`tmux ${args.join(' ')}: ${ended.stderr}`);
  return ended.stdout.trim();
}

/** Makes a task; gives the daemon's answer. */
function createTask(daemon, extensions) {
  const request = {
    kind: 'task.create',
    project: 'shop',
    branch: null,
    summary: 'Take part in a measurement',
    harness: 'bench',
    reviewHarness: 'bench',
    context: null,
    status: 'pending',
    extensions,
  };
  return daemon.client.submit(request, START_LIMIT_MS);
}

/** Makes a task that nobody starts yet; gives its id. */
async function createHeldTask(daemon) {
  const answer = await createTask(daemon, { hold: 'not spawned' });
  const id = answer.result?.task?.fields.id;
  if (id === undefined) throw new Error(`not made: ${JSON.stringify(answer)}`);
  return id;
}

async function cancelTask(daemon, taskId) {
  const request = { kind: 'task.cancel', taskId, reason: null };
  const answer = await daemon.client.submit(request, START_LIMIT_MS);
  if (answer.result === undefined) throw new Error(`not cancelled: ${JSON.stringify(answer)}`);
}

/** Makes tasks and waits until each has its agent; gives their ids. */
async function createTasks(daemon, count) {
  const ids = [];
  const create = async () => {
    const answer = await createTask(daemon, {});
    const task = answer.result?.task;
    if (task?.session !== 'active') throw new Error(`not started: ${JSON.stringify(answer)}`);
    ids.push(task.fields.id);
  };
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await create();
    }
  };
  await Promise.all(Array.from({ length: Math.min(ABREAST, count) }, work));
  return ids;
}

/** Ends the daemon and every process that was started for the place, and removes its folder. */
async function closePlace(daemon, root) {
  await daemon.end('SIGKILL');
  const start = performance.now();
  for (let left = processesOf(root); left.length > 0; left = processesOf(root)) {
    if (performance.now() - start > END_LIMIT_MS) throw new Error(`processes stay: ${root}`);
    for (const { pid } of left) endProcess(pid);
    await pause(20);
  }
  await removeRoot(root, END_LIMIT_MS);
}

function readHistory(path) {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}
