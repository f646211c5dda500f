const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
// A terminal sends Ctrl-C to the children too; a second one could keep them from cleaning up.
const ALREADY_TOLD_MS = 1_000;

const children = new Set();
const listeners = new Map();
let exitCode = null;

/** The script was told to end; it runs no further program. */
export class Interrupted extends Error {
  name = 'Interrupted';
  exitCode = exitCode;
}

/** From now on a signal ends the running programs first, then the script. */
export function passSignalsOn() {
  for (const name of Object.keys(EXIT_CODES)) {
    const listener = () => interrupt(name);
    listeners.set(name, listener);
    process.on(name, listener);
  }
}

/** Leaves signals to `onSignal(exitCode)` from now on. */
export function takeSignals(onSignal) {
  for (const [name, listener] of listeners) process.off(name, listener);
  for (const [name, code] of Object.entries(EXIT_CODES)) process.on(name, () => onSignal(code));
}

export function wasInterrupted() {
  return exitCode !== null;
}

/** Counts a child among those that get the signals, as long as it lives. */
export function passSignalsTo(child) {
  children.add(child);
  const forget = () => children.delete(child);
  child.once('error', forget).once('exit', forget);
}

function interrupt(name) {
  exitCode ??= EXIT_CODES[name];
  if (children.size === 0) process.exit(exitCode);
  const tell = () => children.forEach((child) => child.kill(name));
  if (name === 'SIGINT' && process.stdin.isTTY) setTimeout(tell, ALREADY_TOLD_MS).unref();
  else tell();
}
