import { complain } from './say.mjs';
import { StepFailed } from './step-failed.mjs';

/** Runs a script to its exit code; a failed step is told in words, anything else is a bug with its stack. */
export async function runMain(main) {
  try {
    process.exitCode = (await main(process.argv.slice(2))) ?? 0;
  } catch (error) {
    complain(error instanceof StepFailed ? `\n${error.message}` : `\n${error.stack ?? error}`);
    process.exitCode = 1;
  }
}
