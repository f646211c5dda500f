import { findImportProblems } from './import-problems.mjs';
import { runProgram } from './run-program.mjs';
import { howItEnded } from './run-step.mjs';
import { environmentForOutput } from './say.mjs';
import { tool } from './tool.mjs';

const TIMEOUT_MS = 300_000;
// Named, since without a .git nothing tells the linter to leave node_modules alone.
const LINTED = ['src', 'test', 'scripts', 'vitest.config.ts'];
const biome = () => tool('@biomejs/biome', { program: 'biome' });
const typescript = () => tool('typescript', { program: 'tsc' });

/** Each check looks at the whole checkout and finds null when all is well, else what is wrong, as text. */
export const CHECKS = [
  { name: 'format', find: () => runTool([...biome(), 'format', '.']) },
  {
    name: 'lint',
    find: () => runTool([...tool('oxlint'), '--type-aware', '--deny-warnings', ...LINTED]),
  },
  { name: 'types', find: () => runTool([...typescript(), '--noEmit', '-p', '.']) },
  { name: 'imports', find: findImportProblems },
  { name: 'dead code', find: () => runTool([...tool('knip'), '--no-progress']) },
];

async function runTool([command, ...args]) {
  const env = environmentForOutput(process.env, process.stdout);
  const ended = await runProgram(command, args, { env, timeoutMs: TIMEOUT_MS });
  if (ended.code === 0) return null;
  return `${ended.stdout}${ended.stderr}`.trim() || howItEnded(ended);
}
