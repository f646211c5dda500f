import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const lib = (name: string): string =>
  new URL(`../../scripts/lib/${name}.mjs`, import.meta.url).href;

// A script with one child that tells its pid and lives for ever; a second one must not start.
const SCRIPT = `
import { runMain } from '${lib('run-main')}';
import { runProgram } from '${lib('run-program')}';
await runMain(async () => {
  const endless = 'console.log(process.pid); setInterval(() => {}, 1000)';
  await runProgram(process.execPath, ['-e', endless], { stdio: ['ignore', 'inherit', 'inherit'] });
  await runProgram(process.execPath, ['-e', 'console.log("second")'], { stdio: 'inherit' });
});
`;

describe('a script that gets a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends its child too, and it exits %i', async (signal, exitCode) => {
    const folder = mkdtempSync(join(tmpdir(), 'or-int-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'script.mjs');
    writeFileSync(file, SCRIPT);
    const script = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => {
      script.kill('SIGKILL');
    });
    let said = '';
    script.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await once(script.stdout, 'data');
    const ended = once(script, 'close');
    script.kill(signal);
    expect(await ended).toEqual([exitCode, null]);
    expect(said).not.toContain('second');
    const child = Number(said);
    expect(() => process.kill(child, 0)).toThrow('ESRCH');
  });
});
