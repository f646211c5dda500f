import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { killGroup, runAttached, runCommand } from '../../src/adapters/run-command.js';
import { withoutDescriptors } from '../rigs/without-descriptors.js';

const directory = mkdtempSync(join(tmpdir(), 'or-'));
afterAll(() => rmSync(directory, { recursive: true }));

function sh(script: string, extra: { timeoutMs?: number; maxBytes?: number } = {}) {
  return runCommand({
    program: '/bin/sh',
    argv: ['-c', script],
    timeoutMs: extra.timeoutMs ?? 5000,
    ...(extra.maxBytes === undefined ? {} : { maxBytes: extra.maxBytes }),
  });
}

describe('runCommand', () => {
  it('gives both outputs unchanged and takes a non-zero exit as an outcome', async () => {
    const result = await sh('printf "a\\n\\n"; printf b >&2; exit 3');
    expect(result).toEqual({ ok: true, value: { stdout: 'a\n\n', stderr: 'b', exitCode: 3 } });
  });

  it('counts a death by signal as 128 plus its number', async () => {
    const result = await sh('kill -TERM $$');
    expect(result).toMatchObject({ ok: true, value: { exitCode: 143 } });
  });

  it('names a missing program', async () => {
    const result = await runCommand({ program: 'no-such-program', argv: [], timeoutMs: 5000 });
    expect(result).toEqual({
      ok: false,
      failure: { kind: 'program-missing', program: 'no-such-program' },
    });
  });

  it('blames the directory, not the program, when the directory is gone', async () => {
    const cwd = join(directory, 'gone');
    const result = await runCommand({ program: '/bin/true', argv: [], cwd, timeoutMs: 5000 });
    expect(result).toEqual({
      ok: false,
      failure: { kind: 'io-failed', path: cwd, operation: 'enter', code: 'ENOENT' },
    });
  });

  it('says why the kernel refused to start it', async () => {
    const result = await runCommand({
      program: '/bin/true',
      argv: ['x'.repeat(200_000)],
      timeoutMs: 5000,
    });
    expect(result).toMatchObject({ ok: false, failure: { kind: 'io-failed', code: 'E2BIG' } });
  });

  it('passes the environment it was given and nothing else', async () => {
    const result = await runCommand({
      program: '/usr/bin/env',
      argv: [],
      env: { ONLY: 'this' },
      timeoutMs: 5000,
    });
    expect(result).toMatchObject({ ok: true, value: { stdout: 'ONLY=this\n' } });
  });

  it('hands the input over byte for byte', async () => {
    const input = `${'line\n'.repeat(100_000)}é`;
    const result = await runCommand({ program: '/bin/cat', argv: [], input, timeoutMs: 5000 });
    expect(result.ok && result.value.stdout === input).toBe(true);
  });

  it('survives a command that does not read its input', async () => {
    const result = await runCommand({
      program: '/bin/true',
      argv: [],
      input: 'x'.repeat(1_000_000),
      timeoutMs: 5000,
    });
    expect(result).toMatchObject({ ok: true, value: { exitCode: 0 } });
  });

  it('stops a command that says too much', async () => {
    const result = await sh('yes', { maxBytes: 1000 });
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'command-failed', output: 'output-too-large' },
    });
  });

  it('kills the whole group when the time is up', async () => {
    const started = Date.now();
    const marker = join(directory, 'child');
    const result = await sh(`sleep 60 & echo $! > ${marker}; wait`, { timeoutMs: 300 });
    expect(result).toEqual({
      ok: false,
      failure: {
        kind: 'command-timed-out',
        program: '/bin/sh',
        action: `sleep 60 & echo $! > ${marker}; wait`,
        timeoutMs: 300,
      },
    });
    expect(Date.now() - started).toBeLessThan(3000);
    const child = await sh(`cat ${marker}`);
    const pid = Number(child.ok && child.value.stdout);
    await expect.poll(() => isThere(pid), { timeout: 3000 }).toBe(false);
  });

  it('F17 fails with EMFILE when another takes the last descriptors at the very moment', async () => {
    await sh('true');
    const failure = { kind: 'io-failed', path: '/bin/sh', operation: 'run', code: 'EMFILE' };
    const taken: number[] = [];
    // Asked for right before the process is started, after it was seen that there are enough.
    const env = new Proxy(
      { PATH: '/bin' },
      {
        ownKeys: () => {
          try {
            for (;;) taken.push(openSync('/dev/null', 'r'));
          } catch {
            return ['PATH'];
          }
        },
      },
    );
    const command = { program: '/bin/sh', argv: ['-c', 'true'], env, timeoutMs: 5000 };
    const result = await withoutDescriptors(16, async () => {
      const ended = await runCommand(command);
      for (const fd of taken) closeSync(fd);
      return ended;
    });
    expect(taken.length).toBeGreaterThan(0);
    expect(result).toEqual({ ok: false, failure });
  });

  it('F17 fails with EMFILE when no more files can be opened, and works again afterwards', async () => {
    await sh('true');
    const failure = { kind: 'io-failed', path: '/bin/sh', operation: 'run', code: 'EMFILE' };
    expect(await withoutDescriptors(4, () => sh('true'))).toEqual({ ok: false, failure });
    expect(await sh('true')).toMatchObject({ ok: true, value: { exitCode: 0 } });
  });
});

describe('runAttached', () => {
  it('gives the exit code of a command on the caller’s own terminal', async () => {
    const command = { program: '/bin/sh', argv: ['-c', 'exit $CODE'], env: { CODE: '5' } };
    expect(await runAttached(command)).toEqual({ ok: true, value: 5 });
  });

  it('names a missing program', async () => {
    const result = await runAttached({ program: 'no-such-program', argv: [] });
    expect(result).toMatchObject({ ok: false, failure: { kind: 'program-missing' } });
  });
});

function isThere(pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch {
    return false;
  }
}

function refuse(code: string): () => never {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

describe('killing a process group', () => {
  it('lets one be of which only processes of another user are left, and one that is gone', () => {
    expect(() => killGroup(4_000_000, refuse('EPERM'))).not.toThrow();
    expect(() => killGroup(4_000_000)).not.toThrow();
  });

  it('hides no other reason', () => {
    expect(() => killGroup(4_000_000, refuse('EINVAL'))).toThrow('EINVAL');
  });
});
