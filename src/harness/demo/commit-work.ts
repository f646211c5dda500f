import type { Machine } from './machine.js';

/** Adds a line to a file of the worktree unless it is there already. */
export function addLine(machine: Machine, path: string, line: string): void {
  const before = machine.exists(path) ? machine.readFile(path) : '';
  if (before.split('\n').includes(line)) return;
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  machine.writeFile(path, `${before}${gap}${line}\n`);
}

/** Commits one file as whoever git says the user is; git's words when it refused, else null. */
export function commitFile(machine: Machine, path: string, message: string): string | null {
  const added = machine.git(['add', '--', path]);
  if (added.status !== 0) return added.error;
  if (machine.git(['diff', '--cached', '--quiet', '--', path]).status === 0) return null;
  // Nobody is there to unlock a signing key.
  const options = [...fallbackIdentity(machine), '-c', 'commit.gpgSign=false'];
  const committed = machine.git([...options, 'commit', '--quiet', '-m', message, '--', path]);
  return committed.status === 0 ? null : committed.error;
}

function fallbackIdentity(machine: Machine): readonly string[] {
  if (machine.git(['var', 'GIT_COMMITTER_IDENT']).status === 0) return [];
  return ['-c', 'user.name=orange demo agent', '-c', 'user.email=demo@orange.invalid'];
}
