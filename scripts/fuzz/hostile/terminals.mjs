import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../../chaos/run.mjs';
import { awaitState } from '../../chaos/wait.mjs';

const LIMIT_MS = 60_000;
const ENDED = 'ends-4711-here';
const THEN_TELL = '"$@"; printf "ends-%s-here" 4711; exec sleep 1000000';

/** Real terminals, of a tmux server that has nothing to do with orange's; every byte written is kept. */
export function createTerminals({ root, env }) {
  const socket = join(root, 'ui.sock');
  const streams = join(root, 'streams');
  mkdirSync(streams);
  const ui = (...argv) => {
    const options = { env: { ...env, TERM: 'xterm-256color' } };
    return mustRun('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...argv], options);
  };
  let count = 0;
  const open = async (argv) => {
    count += 1;
    const name = `t${count}`;
    const stream = join(streams, name);
    const size = ['-x', '160', '-y', '50'];
    await ui('new-session', '-d', '-s', name, ...size, '--', 'sleep', '1000000');
    await ui('pipe-pane', '-t', `=${name}:`, `cat >> '${stream}'`);
    await ui('respawn-pane', '-k', '-t', `=${name}:`, '--', ...argv);
    return {
      bytes: () => (existsSync(stream) ? readFileSync(stream, 'utf8') : ''),
      close: () => ui('kill-session', '-t', `=${name}`),
    };
  };
  return {
    open,
    /** Every byte that a command writes until it has ended. */
    async run(argv) {
      const terminal = await open(['/bin/sh', '-c', THEN_TELL, 'sh', ...argv]);
      const hasEnded = () => terminal.bytes().includes(ENDED);
      if ((await awaitState(hasEnded, LIMIT_MS)) === undefined) throw new Error(`${argv} hangs`);
      await terminal.close();
      return terminal.bytes().replace(ENDED, '');
    },
  };
}
