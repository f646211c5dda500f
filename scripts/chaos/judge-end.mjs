import { violation } from './oracle/violation.mjs';

const EXIT_DONE = 0;
const EXIT_FAILED = 1;
const EXIT_HUNG = 75;
const LAST_WORDS = 2000;
const GENTLE = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * I10, G10: a daemon ends when it is told to, and as it was told to. Gives a violation, or nothing.
 * `asked` is the signal that was sent to it, or null; `mayRefuse` whether the fault is one that keeps a
 * daemon from starting.
 */
export function judgeEnd({ code, signal, errors, asked, hasAnswered, mayRefuse }) {
  if (isAsAsked({ code, signal }, asked) || isAsInjected({ code, signal }, errors)) return [];
  const isRefusal = code === EXIT_FAILED && errors !== '' && !hasAnswered;
  if (isRefusal && (mayRefuse || hasFailedInside(errors))) return [];
  const how = asked === null ? 'by itself' : `otherwise than by ${asked}`;
  const when = hasAnswered ? '' : ' before it answered';
  const what = `ended ${how}${when}: ${signal ?? `exit code ${code}`}\n${errors.slice(-LAST_WORDS)}`;
  return [violation('I10', 'the daemon', what)];
}

function isAsAsked({ code, signal }, asked) {
  return GENTLE.includes(asked) ? code === EXIT_DONE : asked !== null && signal === asked;
}

/** Whether a failpoint ended it. What hangs is ended by the daemon's own watchdog. */
function isAsInjected({ code, signal }, errors) {
  const actions = injected(errors);
  if (actions.includes('kill') && signal === 'SIGKILL') return true;
  return actions.includes('hang') && (code === EXIT_HUNG || signal === 'SIGKILL');
}

/** An operation that was made to fail while the daemon started may be a reason not to start. */
function hasFailedInside(errors) {
  return injected(errors).includes('throw');
}

function injected(errors) {
  return [...errors.matchAll(/^failpoint [a-z.-]+: ([a-z]+)$/gm)].map(([, action]) => action);
}
