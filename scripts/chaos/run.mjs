import { execFile } from 'node:child_process';

const LIMIT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Runs a short program to its end; the exit code is an outcome. */
export function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const limits = { timeout: LIMIT_MS, maxBuffer: MAX_BYTES, encoding: 'utf8', ...options };
    execFile(program, args, limits, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? 1), stdout, stderr });
    });
  });
}

/** Runs a program that must succeed and gives what it printed. */
export async function mustRun(program, args, options = {}) {
  const ended = await run(program, args, options);
  if (ended.code === 0) return ended.stdout;
  throw new Error(`${program} ${args.join(' ')}: ${ended.code}\n${ended.stderr}`);
}
