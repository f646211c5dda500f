import { Interrupted, passSignalsOn } from './interruption.mjs';
import { complain } from './say.mjs';
import { StepFailed } from './step-failed.mjs';

/**
 * Runs a script to its exit code; a failed step is told in words, anything else is a bug with its stack.
 * A signal ends what the script has started, then the script.
 */
export async function runMain(main) {
  passSignalsOn();
  try {
    process.exitCode = (await main(process.argv.slice(2))) ?? 0;
  } catch (error) {
    if (error instanceof Interrupted) {
      process.exitCode = error.exitCode;
      return;
    }
    complain(error instanceof StepFailed ? `\n${error.message}` : `\n${error.stack ?? error}`);
    process.exitCode = 1;
  }
}
