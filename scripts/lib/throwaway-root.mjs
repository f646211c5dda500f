import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

// The path of a unix socket in the home has to stay under 104 bytes.
const LONGEST_TEMP = 50;

/** An empty folder with a home in it, and an environment that knows nothing of the user's own. */
export function makeRoot({ prefix, author }) {
  const temp = Buffer.byteLength(tmpdir()) > LONGEST_TEMP ? '/tmp' : tmpdir();
  const root = realpathSync(mkdtempSync(join(temp, prefix)));
  const home = join(root, 'home');
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: root,
    LANG: 'C.UTF-8',
    GIT_CONFIG_GLOBAL: join(root, 'gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
    ORANGE_HOME: home,
  };
  mkdirSync(home, { mode: 0o700 });
  write(
    env.GIT_CONFIG_GLOBAL,
    `[user]\n\tname = Pat ${author}\n\temail = pat@${author.toLowerCase()}.invalid\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n`,
  );
  return { root, home, env };
}

/** Writes a file and makes the folders above it. */
export function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
