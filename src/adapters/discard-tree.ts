import { DONE, failed, type Result } from '../domain/result.js';
import { runCommand } from './run-command.js';

const TIMEOUT_MS = 600_000;

/** Removes a directory that nobody needs, with all in it, also where it was made read-only. */
export async function discardTree(path: string): Promise<Result<void>> {
  const first = await runStep('rm', ['-rf', '--', path]);
  if (first.ok) return first;
  await runStep('chmod', ['-R', 'u+rwX', '--', path]);
  return runStep('rm', ['-rf', '--', path]);
}

async function runStep(program: string, argv: readonly string[]): Promise<Result<void>> {
  const outcome = await runCommand({ program, argv, timeoutMs: TIMEOUT_MS, action: 'remove' });
  if (!outcome.ok) return outcome;
  const { exitCode, stderr } = outcome.value;
  if (exitCode === 0) return DONE;
  return failed({
    kind: 'command-failed',
    program,
    action: 'remove',
    exitCode,
    output: stderr.trim().slice(-2000),
  });
}
