import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from '../processes.mjs';
import { pathsBelow } from './paths-below.mjs';
import { violation } from './violation.mjs';

const MAX_BYTES = 16 * 1024 * 1024;

/** I8: nothing that was written for a shell to trip over has run, and no secret is to be read anywhere. */
export async function checkSecrets(place) {
  const { home, chaos, root, secret } = place;
  const problems = [];
  if (existsSync(join(chaos, 'canary'))) problems.push(violation('I8', 'canary', 'was run'));
  for (const path of filesWith(home, secret))
    problems.push(violation('I8', path, 'holds a secret'));
  for (const { pid, command } of processesOf(root)) {
    if (command.includes(secret)) {
      problems.push(violation('I8', 'command lines', `pid ${pid} shows a secret: ${command}`));
    }
  }
  for (const whose of await listEnvironments(place)) {
    const { stdout } = await place.tmux('show-environment', ...whose);
    if (!stdout.includes(secret)) continue;
    problems.push(violation('I8', 'the environment of tmux', `holds a secret: ${whose.join(' ')}`));
  }
  return problems;
}

/** What is asked of tmux for all its environments: that of the server, and of each session. */
async function listEnvironments({ tmux }) {
  const { stdout } = await tmux('list-sessions', '-F', '#{session_id}');
  const sessions = stdout.split('\n').filter((line) => line.startsWith('$'));
  return [['-g'], ...sessions.map((id) => ['-t', id])];
}

function filesWith(folder, secret) {
  return pathsBelow(folder).filter((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > MAX_BYTES) return false;
    return read(path).includes(secret);
  });
}

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
