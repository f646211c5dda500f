import { runProgram } from './run-program.mjs';
import { howItEnded } from './run-step.mjs';
import { sourceFiles } from './source-files.mjs';
import { tool } from './tool.mjs';

const TIMEOUT_MS = 120_000;

/**
 * What dependency-cruiser finds, as text, or null. It also succeeds when it looked at nothing (as it does
 * with a compiler that it does not know), so it must have seen every module there is.
 */
export async function findImportProblems() {
  const argv = [
    ...tool('dependency-cruiser', { program: 'depcruise' }),
    'src',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
  ];
  const ended = await runProgram(argv[0], argv.slice(1), { timeoutMs: TIMEOUT_MS });
  const report = parseReport(ended.stdout);
  if (report === null) return `dependency-cruiser ${howItEnded(ended)}\n${ended.stderr}`.trim();
  const lines = [...violations(report), ...unseen(report)];
  return lines.length === 0 ? null : lines.join('\n');
}

function parseReport(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function violations({ summary }) {
  return summary.violations
    .filter(({ rule }) => rule.severity === 'error')
    .map(({ rule, from, to, cycle }) => {
      const path = cycle ? cycle.map(({ name }) => name).join(' → ') : to;
      return `${rule.name}: ${from} → ${path}`;
    });
}

function unseen({ modules }) {
  const seen = new Set(modules.map(({ source }) => source));
  return sourceFiles()
    .filter((path) => !seen.has(path))
    .map((path) => `not looked at: ${path}`);
}
