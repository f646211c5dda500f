import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { afterAll, expect, it, vi } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { createProjectCommands } from '../../src/adapters/run-project-command.js';
import { createSystemClock } from '../../src/adapters/system-clock.js';

const directory = mkdtempSync(join(tmpdir(), 'oc-'));
afterAll(() => rmSync(directory, { recursive: true }));
const commands = createProjectCommands({ files: createDiskFiles(), clock: createSystemClock() });
let count = 0;

async function run(line: string, extra: { timeoutMs?: number; env?: Record<string, string> } = {}) {
  count += 1;
  const logFile = join(directory, `${count}.log`);
  const env = { PATH: process.env['PATH'] ?? '', ...extra.env };
  const { timeoutMs = 30_000 } = extra;
  const outcome = await commands.run({ line, directory, env, timeoutMs, logFile });
  return { outcome, logFile };
}

it('a command of the settings is run by the shell as it stands, and its output is logged', async () => {
  const { outcome, logFile } = await run('echo "$FACT" && echo oops >&2; exit 3', {
    env: { FACT: '$(touch pwned); `id`' },
  });
  expect(outcome).toMatchObject({ ok: true, value: { exitCode: 3 } });
  const log = readFileSync(logFile, 'utf8');
  expect(log).toContain('$(touch pwned); `id`\n');
  expect(log).toContain('oops');
  expect(log).toMatch(/^\$ echo "\$FACT"/);
  expect(log).toMatch(/\(exit 3, [\d.]+ s\)\n$/);
});

it('a command that takes too long is killed with everything it started', async () => {
  const { outcome, logFile } = await run('sleep 600 & echo "child $!"; wait', { timeoutMs: 700 });
  expect(outcome).toMatchObject({ ok: true, value: { exitCode: null } });
  const log = readFileSync(logFile, 'utf8');
  expect(log).toContain('its time was up');
  await vi.waitFor(() => expect(isAlive(childIn(log))).toBe(false), { timeout: 20_000 });
});

it('what a command leaves running is killed when it ends', async () => {
  const { outcome, logFile } = await run('sleep 600 & echo "child $!"');
  expect(outcome).toMatchObject({ ok: true, value: { exitCode: 0 } });
  const child = childIn(readFileSync(logFile, 'utf8'));
  await vi.waitFor(() => expect(isAlive(child)).toBe(false), { timeout: 20_000 });
});

it('the middle of a long output is left out of the log, and control characters are', async () => {
  const { outcome, logFile } = await run(
    'printf "first\\033]0;title\\007\\n"; head -c 3000000 /dev/zero | tr "\\0" x; echo; echo last',
  );
  expect(outcome).toMatchObject({ ok: true, value: { exitCode: 0 } });
  expect(statSync(logFile).size).toBeLessThan(600_000);
  const log = readFileSync(logFile, 'utf8');
  expect(log).toContain('first\n');
  expect(log).toContain('bytes left out');
  expect(log).toContain('last\n');
  expect(outcome).toMatchObject({ value: { tail: expect.stringMatching(/x\nlast$/) } });
});

it('a directory that is not there is a failure that names it', async () => {
  const missing = join(directory, 'gone');
  const logFile = join(directory, 'none.log');
  expect(
    await commands.run({ line: 'true', directory: missing, env: {}, timeoutMs: 5000, logFile }),
  ).toMatchObject({ ok: false, failure: { kind: 'io-failed', path: missing } });
});

function childIn(log: string): number {
  return Number(/child (\d+)/.exec(log)?.[1]);
}

function isAlive(pid: number): boolean {
  try {
    kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie that nobody has reaped yet is dead.
  return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
