import { runCommand } from '../../adapters/run-command.js';
import { DONE, failed, type Result } from '../../domain/result.js';
import type { Environment } from '../command-context.js';

/** Runs commands of a service manager one after the other, up to the first that fails. */
export async function runSteps(
  steps: readonly (readonly string[])[],
  env: Environment,
): Promise<Result<void>> {
  for (const [program = '', ...argv] of steps) {
    const action = argv.join(' ');
    const ran = await runCommand({
      program,
      argv,
      env: passable(env),
      timeoutMs: LIMIT_MS,
      action,
    });
    if (!ran.ok) return ran;
    const { exitCode, stderr: output } = ran.value;
    if (exitCode !== 0)
      return failed({ kind: 'command-failed', program, action, exitCode, output });
  }
  return DONE;
}

const LIMIT_MS = 20_000;

function passable(env: Environment): Record<string, string> {
  const set = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(set);
}
