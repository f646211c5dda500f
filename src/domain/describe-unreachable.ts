import type { Description, FailureOf } from './description.js';
import { withoutStop } from './without-stop.js';

/** Why the daemon cannot be reached; one that lives is not to be started, but replaced. */
export function describeUnreachable({ reason, pid }: FailureOf<'daemon-unreachable'>): Description {
  if (pid === undefined) {
    return {
      message: `The daemon does not answer: ${UNREACHABLE[reason] ?? withoutStop(reason)}.`,
      hint: 'Start it with: orange daemon start. What it last said: orange log',
    };
  }
  // Its process lives, so whoever cannot reach it has not found it gone.
  const why = UNREACHABLE[reason] === NOT_RUNNING ? NOT_LISTENING : UNREACHABLE[reason];
  return {
    message: `The daemon (pid ${pid}) does not answer: ${why ?? withoutStop(reason)}.`,
    hint: 'Replace it with: orange daemon restart (agents keep running). What it last said: orange log',
  };
}

const NOT_RUNNING = 'it is not running';
const NOT_LISTENING = 'it does not listen, as while it starts or ends';

const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOENT: NOT_RUNNING,
  ECONNREFUSED: NOT_RUNNING,
  EACCES: 'its socket belongs to somebody else',
  'no-greeting-in-time': 'it said nothing in time',
  'connection-closed': 'it ended in the middle',
  'turned-away': 'it lets nobody in, as when it has too many files open or just ends',
  'not-an-orange-daemon': 'something else listens on its socket',
  'malformed-answer': 'its answer cannot be read',
  'line-too-long': 'its answer is too long',
  'not-utf8': 'its answer cannot be read',
};
