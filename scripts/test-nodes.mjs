import { installDependencies } from './lib/install-dependencies.mjs';
import { nodeVersion, otherNode } from './lib/other-node.mjs';
import { requireNode } from './lib/require-node.mjs';
import { runMain } from './lib/run-main.mjs';
import { withProgress } from './lib/run-step.mjs';
import { runTests } from './lib/run-tests.mjs';
import { say, seconds } from './lib/say.mjs';
import { table } from './lib/table.mjs';

const MAJORS = [20, 22, 24];

await runMain(async () => {
  requireNode();
  await installDependencies();
  const rows = [];
  for (const major of MAJORS) rows.push(await testOn(major));
  const heads = ['Node', 'passed', 'failed', 'skipped', 'took'];
  say(
    `\n${table(
      rows.map(({ cells }) => cells),
      heads,
    )}`,
  );
  return rows.every(({ isGood }) => isGood) ? 0 : 1;
});

async function testOn(major) {
  const node = await otherNode(major);
  const version = await nodeVersion(node);
  const start = performance.now();
  const counts = await withProgress(`Unit and scenario tests on Node ${version}`, () =>
    runTests(['unit'], { node, isQuiet: true }),
  );
  const { passed, failed, skipped, output } = counts;
  if (failed > 0) say(output);
  const took = seconds(performance.now() - start);
  return { isGood: failed === 0, cells: [version, passed, failed, skipped, took].map(String) };
}
