import { buildBundle } from './lib/build-bundle.mjs';
import { prepareCheckout } from './lib/prepare-checkout.mjs';
import { runChecks } from './lib/run-checks.mjs';
import { runMain } from './lib/run-main.mjs';
import { runTests } from './lib/run-tests.mjs';
import { say, seconds } from './lib/say.mjs';
import { StepFailed } from './lib/step-failed.mjs';
import { table } from './lib/table.mjs';

await runMain(async () => {
  await prepareCheckout();
  say('\nChecks');
  const checks = await runChecks();
  say('\nBuild');
  const build = await tryBuild();
  const tests = [
    await timed('unit and scenario tests', ['unit']),
    ...(await timedBeside(
      { name: 'adapter tests (real tmux, files, processes)', projects: ['adapters'] },
      { name: 'git tests (real git)', projects: ['git'] },
    )),
    await timed('integration tests (the built program)', ['integration']),
  ];
  return summarize([...checks, build], tests);
});

async function tryBuild() {
  const start = performance.now();
  const said = await buildBundle().then(
    () => null,
    (error) => {
      if (error instanceof StepFailed) return error.message;
      throw error;
    },
  );
  const took = seconds(performance.now() - start);
  say(said === null ? `ok    dist/ (${took})` : `FAIL  ${said}`);
  return { name: 'build', isGood: said === null, said: said === null ? 'ok' : 'failed', took };
}

async function timed(name, projects, options = {}) {
  say(`\n${name[0].toUpperCase()}${name.slice(1)}`);
  const start = performance.now();
  const counts = await runTests(projects, options);
  return { name, ...counts, took: seconds(performance.now() - start) };
}

/** Two runs at once, since one of them has to go file by file; the second is shown afterwards. */
async function timedBeside(shown, quiet) {
  const rows = await Promise.all([
    timed(shown.name, shown.projects),
    timed(quiet.name, quiet.projects, { isQuiet: true }),
  ]);
  say(rows[1].output);
  return rows;
}

// The last line counts tests; a check that failed counts as one failure, so that 0 failed is exit 0.
function summarize(checks, tests) {
  const passed = tests.reduce((sum, row) => sum + row.passed, 0);
  const failedChecks = checks.filter(({ isGood }) => !isGood).length;
  const failed = tests.reduce((sum, row) => sum + row.failed, failedChecks);
  say('\nSummary\n');
  say(
    table([
      ...checks.map(({ name, said, took }) => [name, said, took]),
      ...tests.map((row) => [row.name, describeCounts(row), row.took]),
    ]),
  );
  const secondTries = tests.flatMap((row) => row.secondTries);
  if (secondTries.length > 0) {
    say(`\nPassed only at a second try, so look into them:\n  ${secondTries.join('\n  ')}`);
  }
  say(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function describeCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
