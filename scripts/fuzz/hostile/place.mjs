import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon } from '../../chaos/daemon.mjs';
import { endProcess, processesOf } from '../../chaos/processes.mjs';
import { mustRun } from '../../chaos/run.mjs';
import { awaitState } from '../../chaos/wait.mjs';
import { inCheckout } from '../../lib/checkout.mjs';
import { removeRoot } from '../../lib/remove-root.mjs';
import { runProgram } from '../../lib/run-program.mjs';
import { makeRoot, write } from '../../lib/throwaway-root.mjs';
import { AGENT_SCRIPT, NOTICE_SCRIPT } from './agents.mjs';
import { noteCalls } from './calls.mjs';
import { createTerminals } from './terminals.mjs';

const LIMIT_MS = 60_000;

/** A home with a daemon, a folder that is watched for what texts leave behind, and a repository to copy. */
export async function openHostilePlace() {
  const { root, home, env: common } = makeRoot({ prefix: 'oh-', author: 'Hostile' });
  const env = { ...common, HOSTILE: root };
  const watch = join(root, 'w');
  for (const folder of [watch, join(root, 'got'), join(root, 'r')]) mkdirSync(folder);
  write(join(root, 'agent.sh'), AGENT_SCRIPT);
  write(join(root, 'notice.sh'), NOTICE_SCRIPT);
  write(join(home, 'config.yaml'), JSON.stringify(settings(root), null, 2));
  const program = inCheckout('dist/orange.js');
  const place = { root, home, env, watch, program, socket: join(home, 'run', 'daemon.sock') };
  await makeTemplate(place);
  const daemon = new Daemon({ ...place, env: { ...env, PATH: noteCalls(place) } });
  if (!(await daemon.start())) throw new Error(`the daemon does not start: ${daemon.errors}`);
  return {
    ...place,
    daemon,
    terminals: createTerminals({ root, env }),
    orange: (args, input = '') => orange(place, args, input),
    git: (directory, ...args) => mustRun('git', ['-C', directory, ...args], { env }),
    tmux: (...args) => askTmux(place, args),
    makeRepository: (number) => copyTemplate(place, number),
    canaries: () => readdirSync(watch),
    close: () => close(place, daemon),
  };
}

// JSON is YAML too.
function settings(root) {
  const command = (role) => [
    '/bin/sh',
    join(root, 'agent.sh'),
    role,
    '{prompt}',
    '{prompt_file}',
    '{branch}',
  ];
  return {
    sweep_seconds: 0.2,
    notify: { desktop: false, bell: true, command: ['/bin/sh', join(root, 'notice.sh')] },
    harnesses: { noting: { command: command('worker'), review: command('reviewer') } },
    harness_order: ['noting'],
    policy: { settle_ms: 30, respawn_backoff_seconds: [0.1] },
  };
}

async function makeTemplate({ root, env }) {
  const template = join(root, 'template');
  write(join(template, 'README.md'), '# Sample\n');
  for (const args of [
    ['init', '-q', '--template='],
    ['add', '-A'],
    ['commit', '-qm', 'Start'],
  ]) {
    await mustRun('git', ['-C', template, ...args], { env });
  }
}

/** A repository of its own for each case: what is in it at the end is of this case alone. */
function copyTemplate({ root }, number) {
  const path = join(root, 'r', String(number));
  if (!existsSync(path)) cpSync(join(root, 'template'), path, { recursive: true });
  return path;
}

function orange({ program, env, root }, args, input) {
  const options = { cwd: root, env, input, timeoutMs: LIMIT_MS };
  return runProgram(process.execPath, [program, ...args], options);
}

async function askTmux({ home, env }, args) {
  const argv = ['-N', '-u', '-S', join(home, 'run', 'tmux.sock'), ...args];
  return mustRun('tmux', argv, { env });
}

/** Ends the daemon and every process that was started for the place, and removes its folder. */
async function close({ root }, daemon) {
  await daemon.end('SIGKILL');
  const isQuiet = () => {
    const left = processesOf(root);
    for (const { pid } of left) endProcess(pid);
    return left.length === 0;
  };
  if ((await awaitState(isQuiet, LIMIT_MS)) === undefined) throw new Error(`busy: ${root}`);
  await removeRoot(root, LIMIT_MS);
}
