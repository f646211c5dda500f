import { runProgram } from './run-program.mjs';
import { say, seconds } from './say.mjs';
import { StepFailed } from './step-failed.mjs';

const QUIET_MS = 10_000;

/** Does some work under a title, and says now and then that it still goes on. */
export async function withProgress(title, work) {
  const start = performance.now();
  say(`${title} …`);
  const beat = setInterval(() => say(`  … ${seconds(performance.now() - start)}`), QUIET_MS);
  try {
    const result = await work();
    const tookMs = performance.now() - start;
    if (tookMs > 1_000) say(`  done in ${seconds(tookMs)}`);
    return result;
  } finally {
    clearInterval(beat);
  }
}

/** Runs a program under a title; its output is shown only when it fails, and then the step fails. */
export async function runStep(title, [command, ...args], options = {}) {
  return await withProgress(title, async () => {
    const ended = await runProgram(command, args, options);
    if (ended.code === 0) return ended;
    const why = ended.missing ? `there is no program \`${command}\`` : howItEnded(ended);
    const output = `${ended.stdout}${ended.stderr}`.trim();
    throw new StepFailed(
      `${title}: ${why}.\n  ${[command, ...args].join(' ')}${output === '' ? '' : `\n\n${output}`}`,
    );
  });
}

export function howItEnded({ code, signal, expired }) {
  if (expired) return 'took too long and was ended';
  return signal ? `was ended by ${signal}` : `failed with exit code ${code}`;
}
