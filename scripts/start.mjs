import { buildIfOlder } from './lib/build-bundle.mjs';
import { takeSignals } from './lib/interruption.mjs';
import { prepareCheckout } from './lib/prepare-checkout.mjs';
import { runDemo } from './lib/run-demo.mjs';
import { runMain } from './lib/run-main.mjs';
import { say } from './lib/say.mjs';

await runMain(async () => {
  await prepareCheckout();
  await buildIfOlder();
  const interruption = listenForSignals();
  try {
    const hasTerminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);
    await runDemo({ hasTerminal, signal: interruption.signal });
    return interruption.exitCode() ?? 0;
  } catch (error) {
    const exitCode = interruption.exitCode();
    if (exitCode === null) throw error;
    return exitCode;
  }
});

// From here on there is something to clean up, so a signal only asks the demonstration to end.
function listenForSignals() {
  const controller = new AbortController();
  let exitCode = null;
  takeSignals((code) => {
    if (exitCode === null) say('\nStopping …');
    exitCode ??= code;
    controller.abort();
  });
  // A closed terminal must not keep the clean-up from being done.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return { signal: controller.signal, exitCode: () => exitCode };
}
