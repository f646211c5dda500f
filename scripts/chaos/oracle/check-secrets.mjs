import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from '../processes.mjs';
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
  const shown = await place.tmux('show-environment', '-g');
  if (shown.stdout.includes(secret)) {
    problems.push(violation('I8', 'the environment of tmux', 'holds a secret'));
  }
  return problems;
}

function filesWith(folder, secret) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => {
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
