import { accessSync, chmodSync, constants, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { write } from '../../lib/throwaway-root.mjs';
import { judgeCall } from './judge-outside.mjs';

/** Programs that the daemon calls, each noted with its arguments; gives the PATH on which they are found. */
export function noteCalls({ root, env }) {
  const bin = join(root, 'bin');
  const calls = join(root, 'calls');
  mkdirSync(calls);
  for (const name of ['git', 'tmux']) {
    const path = join(bin, name);
    const note = `printf '%s\\0' ${name} "$@" > "${calls}/$$.${name}"`;
    write(path, `#!/bin/sh\n${note}\nexec "${find(name, env.PATH)}" "$@"\n`);
    chmodSync(path, 0o755);
  }
  return `${bin}${delimiter}${env.PATH}`;
}

function find(name, path) {
  const candidates = path.split(delimiter).map((folder) => join(folder, name));
  const found = candidates.find((candidate) => isProgram(candidate));
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What git and tmux were called with: in no call does a text stand where an option or a command may. */
export function lookAtCalls({ root, watch }) {
  const calls = readdirSync(join(root, 'calls'));
  const wrong = calls.flatMap((name) => {
    const argv = readFileSync(join(root, 'calls', name), 'utf8')
      .split('\0')
      .slice(0, -1);
    return judgeCall(argv, watch);
  });
  const isNone = calls.length === 0 ? ['no program was called'] : [];
  return [...wrong, ...isNone].map((problem) => ({ sink: 'processes', problem }));
}
