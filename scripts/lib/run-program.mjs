import { spawn } from 'node:child_process';
import { checkout } from './checkout.mjs';
import { Interrupted, passSignalsTo, wasInterrupted } from './interruption.mjs';

const GRACE_MS = 3_000;

/**
 * Runs a program to its end and tells how it ended; rejects only when the script is interrupted.
 * `isApart` keeps a Ctrl-C of the terminal from reaching it; `signal` ends it.
 * `missing` is true when there is no such program, `expired` when it took longer than `timeoutMs`.
 */
export async function runProgram(command, args, options = {}) {
  const { cwd = checkout, env = process.env, stdio = 'pipe', isApart = false } = options;
  const { input, timeoutMs, signal } = options;
  if (wasInterrupted()) throw new Interrupted();
  return new Promise((resolve, reject) => {
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const child = spawn(command, args, {
      cwd,
      env,
      detached: isApart,
      signal,
      stdio: stdio === 'pipe' ? [stdin, 'pipe', 'pipe'] : stdio,
    });
    if (!isApart) passSignalsTo(child);
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name]?.setEncoding('utf8').on('data', (text) => (texts[name] += text));
    }
    const limit = endAfter(child, timeoutMs);
    const settle = (outcome) => {
      limit.clear();
      if (wasInterrupted()) return reject(new Interrupted());
      resolve({
        ...texts,
        missing: false,
        expired: limit.expired(),
        code: null,
        signal: null,
        ...outcome,
      });
    };
    child.on('error', (error) => {
      if (error.name === 'AbortError') return;
      settle({ missing: error.code === 'ENOENT', stderr: texts.stderr || error.message });
    });
    child.on('close', (code, endedBy) => settle({ code, signal: endedBy }));
    child.stdin?.on('error', () => undefined).end(input);
  });
}

function endAfter(child, timeoutMs) {
  let hasExpired = false;
  const timers = [];
  if (timeoutMs !== undefined) {
    const end = () => {
      hasExpired = true;
      child.kill('SIGTERM');
      timers.push(setTimeout(() => child.kill('SIGKILL'), GRACE_MS));
    };
    timers.push(setTimeout(end, timeoutMs));
  }
  return { expired: () => hasExpired, clear: () => timers.forEach(clearTimeout) };
}
