import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { readFailpoints } from '../../src/adapters/failpoint-actions.js';
import { runCommand } from '../../src/adapters/run-command.js';
import { armFailpoints } from '../../src/domain/failpoint.js';

const folder = mkdtempSync(join(tmpdir(), 'of-'));

afterEach(() => {
  armFailpoints(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

describe('ORANGE_FAILPOINT', () => {
  it.each([
    ['', 'written as'],
    ['history.synced', 'written as'],
    ['history.synced:explode', 'written as'],
    ['history.synced@0:kill', 'written as'],
    ['history.synced:throw:enospc', 'written as'],
    ['history.sinked:kill', 'a failpoint that exists'],
    ['toString:kill', 'written as'],
    ['constructor:kill', 'a failpoint that exists'],
    ['spawn.launched:throw:EIO', 'an I/O failpoint'],
    ['history.synced:kill,,', 'written as'],
  ])('refuses %j and says what is wrong', (text, rule) => {
    const read = readFailpoints(text);
    expect(read).toMatchObject({
      ok: false,
      failure: { kind: 'invalid-argument', argument: 'ORANGE_FAILPOINT' },
    });
    expect(read.ok ? '' : JSON.stringify(read.failure)).toContain(rule);
  });

  it('takes several orders, each at its own turn', () => {
    const read = readFailpoints('disk.list:throw:EIO, disk.read@2:throw:EMFILE ,disk.read:sleep:0');
    const act = read.ok ? read.value : () => undefined;
    expect(() => act('disk.read')).not.toThrow();
    expect(() => act('disk.read')).toThrow(expect.objectContaining({ code: 'EMFILE' }));
    expect(() => act('disk.read')).not.toThrow();
    expect(() => act('disk.list')).toThrow(expect.objectContaining({ code: 'EIO' }));
    expect(() => act('history.written')).not.toThrow();
  });
});

describe('a fault at a failpoint', () => {
  it.each(['before-write', 'written', 'synced'])(
    'F16 keeps the old file when a write fails at %s',
    (step) => {
      const files = createDiskFiles();
      files.makeDirectory(folder);
      const path = join(folder, '.pool.json');
      writeFileSync(path, 'old');
      arm(`pool-file.${step}:throw:EIO`);
      expect(files.replace(path, 'new')).toEqual({
        ok: false,
        failure: { kind: 'io-failed', path, operation: 'replace', code: 'EIO' },
      });
      expect(readFileSync(path, 'utf8')).toBe('old');
      expect(readdirSync(folder)).toEqual(['.pool.json']);
    },
  );

  it.each(['mid-line', 'written', 'synced'])(
    'F14 leaves no part of a line that failed at %s',
    (step) => {
      const files = createDiskFiles();
      files.makeDirectory(folder);
      const path = join(folder, 'history.jsonl');
      files.appendLines(path, ['{"a":1}']);
      arm(`history.${step}:throw:ENOSPC`);
      expect(files.appendLines(path, ['{"b":2}'])).toMatchObject({
        ok: false,
        failure: { kind: 'io-failed', code: 'ENOSPC' },
      });
      expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n');
      expect(files.appendLines(path, ['{"b":2}']).ok).toBe(true);
      expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"b":2}\n');
    },
  );

  it.each([
    ['EMFILE', { kind: 'io-failed', operation: 'run', code: 'EMFILE' }],
    ['ETIMEDOUT', { kind: 'command-timed-out', program: 'true' }],
    ['ENOENT', { kind: 'program-missing', program: 'true' }],
  ])('F17 is the failure of a command when it cannot be run (%s)', async (code, failure) => {
    arm(`command.before-run:throw:${code}`);
    const command = { program: 'true', argv: [], timeoutMs: 5000 };
    expect(await runCommand(command)).toMatchObject({ ok: false, failure });
    expect(await runCommand(command)).toMatchObject({ ok: true });
  });
});

function arm(text: string): void {
  const read = readFailpoints(text);
  if (read.ok) armFailpoints(read.value);
}
