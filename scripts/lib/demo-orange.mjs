import { inCheckout } from './checkout.mjs';
import { runProgram } from './run-program.mjs';
import { howItEnded } from './run-step.mjs';
import { StepFailed } from './step-failed.mjs';

const TIMEOUT_MS = 60_000;

/** The built program on a demo's home; `ask` gives what it prints and fails when it does. */
export function createDemoOrange({ home, repository }, signal) {
  const env = demoEnvironment(process.env, home);
  const program = inCheckout('dist/orange.js');
  const run = (args, options) =>
    runProgram(process.execPath, [program, ...args], { cwd: repository, env, ...options });
  return {
    async ask(...args) {
      signal.throwIfAborted();
      const ended = await run(args, { timeoutMs: TIMEOUT_MS, isApart: true });
      if (ended.code === 0) return ended.stdout;
      const output = `${ended.stdout}${ended.stderr}`.trim();
      throw new StepFailed(`orange ${args.join(' ')}: ${howItEnded(ended)}.\n${output}`);
    },
    /** Ends the daemon; true when it is gone. Works after an interruption too. */
    async stopDaemon() {
      return (await run(['daemon', 'stop'], { timeoutMs: 15_000, isApart: true })).code === 0;
    },
    async showDashboard() {
      return await run(['--all'], { stdio: 'inherit', signal });
    },
  };
}

// A demonstration that is started by an agent of orange must not reach its supervisor.
function demoEnvironment(env, home) {
  const own = Object.entries(env).filter(([name]) => !name.startsWith('ORANGE_'));
  return { ...Object.fromEntries(own), ORANGE_HOME: home };
}
