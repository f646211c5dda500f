import { runProgram } from './run-program.mjs';

/** What to put before a command that is to have no inotify: in a user namespace of its own the limit is its alone. */
export const WITHOUT_INOTIFY = [
  'unshare',
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"',
  'sh',
];

/** Whether this machine lets somebody have such a namespace. */
export async function canBeWithoutInotify() {
  const [command, ...args] = [...WITHOUT_INOTIFY, 'true'];
  return (await runProgram(command, args, { timeoutMs: 30_000 })).code === 0;
}
