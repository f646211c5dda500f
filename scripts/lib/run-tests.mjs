import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';
import { environmentForOutput } from './say.mjs';
import { inCheckout } from './checkout.mjs';
import { tool } from './tool.mjs';

const TIMEOUT_MS = 1_200_000;

/**
 * Runs the tests of some vitest projects and counts them. A file that does not load counts as one
 * failed test, and so does a run that ends badly although no test failed.
 */
export async function runTests(projects, { node = process.execPath, isQuiet = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'orange-tests-'));
  const reportPath = join(folder, 'report.json');
  const triesPath = join(folder, 'second-tries.json');
  try {
    const [command, ...args] = [
      ...tool('vitest', { node }),
      'run',
      ...projects.flatMap((name) => ['--project', name]),
      ...(isQuiet ? ['--reporter=dot'] : ['--reporter=default']),
      '--reporter=json',
      `--outputFile.json=${reportPath}`,
      `--reporter=${inCheckout('scripts/lib/second-try-reporter.mjs')}`,
    ];
    const ended = await runProgram(command, args, {
      env: {
        ...environmentForOutput(process.env, process.stdout),
        ORANGE_SECOND_TRIES: triesPath,
      },
      timeoutMs: TIMEOUT_MS,
      stdio: isQuiet ? 'pipe' : ['ignore', 'inherit', 'inherit'],
    });
    return {
      ...count(readJson(reportPath, NOTHING), ended),
      secondTries: readJson(triesPath, []),
      output: ended.stdout + ended.stderr,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NOTHING = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
};

function readJson(path, otherwise) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return otherwise;
  }
}

function count(report, ended) {
  const failed = report.numFailedTests + report.testResults.filter(isUnloaded).length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && ended.code !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function isUnloaded({ status, assertionResults }) {
  return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
}
