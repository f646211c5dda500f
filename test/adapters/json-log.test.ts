import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { JsonLogOptions } from '../../src/adapters/json-log.js';
import { createJsonLog } from '../../src/adapters/json-log.js';

const workshop = mkdtempSync(join(tmpdir(), 'or-log-'));
let homes = 0;
afterAll(() => rmSync(workshop, { recursive: true, force: true }));

function newHome(): string {
  homes += 1;
  const home = join(workshop, String(homes));
  mkdirSync(home);
  return home;
}

function openLog(directory: string, more: Partial<JsonLogOptions> = {}) {
  return createJsonLog({ directory, file: 'orange.log', level: 'info', ...more });
}

function readRecords(path: string): Record<string, unknown>[] {
  const text = readFileSync(path, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const record: unknown = JSON.parse(line);
      return typeof record === 'object' && record !== null ? { ...record } : {};
    });
}

describe('the log', () => {
  it.each([
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('F15 sets %s aside that stands where its file should be', async (_, make) => {
    const home = newHome();
    make(join(home, 'orange.1.log'));
    const log = openLog(home);
    log.write({ event: 'daemon.started' });
    await log.close();
    expect(readRecords(join(home, 'orange.log'))).toMatchObject([{ event: 'daemon.started' }]);
    const aside = readdirSync(home).filter((name) => name.startsWith('orange.1.log.no-file-'));
    expect(aside).toHaveLength(1);
  });

  it.each([
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link', (path: string) => symlinkSync('/dev/full', path)],
  ])('F15 sets %s aside that stands where its next file should be', async (_, make) => {
    const home = newHome();
    const log = openLog(home, { size: '1k' });
    const files = (): readonly string[] => readdirSync(home);
    log.write({ event: 'first' });
    await vi.waitUntil(() => files().includes('orange.1.log'), { timeout: 5000 });
    make(join(home, 'orange.2.log'));
    await vi.waitUntil(
      () => {
        log.write({ event: 'more', text: 'x'.repeat(200) });
        return lstatSync(join(home, 'orange.2.log'), { throwIfNoEntry: false })?.isFile() === true;
      },
      { timeout: 5000 },
    );
    await log.close();
    expect(files().filter((name) => name.startsWith('orange.2.log.no-file-'))).toHaveLength(1);
  });

  it('ORA-3 is one JSON object per line, found under orange.log', async () => {
    const home = newHome();
    const log = openLog(home);
    log.write({ event: 'daemon.started', pid: 7, nothing: undefined });
    log.write({ event: 'agent.crashed', level: 'warn', reason: 'line\nbreak \u2028 "quoted"' });
    log.write({ event: 'daemon.bug', level: 'error', stack: ['a', 'b'] });
    log.write({ event: 'odd', level: 'shout' });
    log.write({ event: 'chatter', level: 'debug' });
    await log.close();
    const records = readRecords(join(home, 'orange.log'));
    expect(records.map(({ time: _time, ...facts }) => facts)).toEqual([
      { level: 'info', event: 'daemon.started', pid: 7 },
      { level: 'warn', event: 'agent.crashed', reason: 'line\nbreak \u2028 "quoted"' },
      { level: 'error', event: 'daemon.bug', stack: ['a', 'b'] },
      { level: 'info', event: 'odd' },
    ]);
    for (const { time } of records) expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('ORA-4 goes on in a new file past 10 MB, and orange.log leads there', async () => {
    const home = newHome();
    const log = openLog(home);
    const filler = 'x'.repeat(1000);
    let sent = 0;
    const writeMany = async (records: number): Promise<void> => {
      for (let index = 0; index < records; index += 1) {
        log.write({ event: 'filler', number: (sent += 1), filler });
        if (index % 100 === 0) await new Promise(setImmediate);
      }
    };
    await writeMany(9000);
    expect(readlinkSync(join(home, 'orange.log'))).toBe('orange.1.log');
    await writeMany(2500);
    await vi.waitFor(
      () => expect(readlinkSync(join(home, 'orange.log'))).toBe('orange.2.log'),
      20_000,
    );
    await log.close();
    expect(statSync(join(home, 'orange.1.log')).size).toBeGreaterThanOrEqual(10 * 1024 * 1024);
    expect(statSync(join(home, 'orange.1.log')).size).toBeLessThan(11 * 1024 * 1024);
    const numbers = ['orange.1.log', 'orange.log'].flatMap((name) =>
      readRecords(join(home, name)).map((record) => record['number']),
    );
    expect(numbers).toEqual(Array.from({ length: 11_500 }, (_, index) => index + 1));
  });

  it('keeps a bounded number of files', async () => {
    const home = newHome();
    const log = openLog(home, { size: '10k', keep: 3 });
    for (let index = 0; index < 200; index += 1) {
      log.write({ event: 'filler', index, filler: 'x'.repeat(1000) });
      await new Promise(setImmediate);
    }
    await vi.waitFor(
      () =>
        expect(readdirSync(home).filter((name) => /\d/.test(name)).length).toBeLessThanOrEqual(3),
      20_000,
    );
    log.write({ event: 'last' });
    await log.close();
    expect(readRecords(join(home, 'orange.log')).at(-1)).toMatchObject({ event: 'last' });
  });

  it('goes on where the last daemon stopped', async () => {
    const home = newHome();
    for (const event of ['first', 'second']) {
      const log = openLog(home);
      log.write({ event });
      await log.close();
    }
    expect(readRecords(join(home, 'orange.log')).map(({ event }) => event)).toEqual([
      'first',
      'second',
    ]);
  });

  it('F26 makes its files 0600 whatever the umask, and older ones too', async () => {
    const before = process.umask(0);
    try {
      const home = newHome();
      writeFileSync(join(home, 'orange.1.log'), '', { mode: 0o666 });
      const log = openLog(home);
      log.write({ event: 'x' });
      await log.close();
      expect(statSync(join(home, 'orange.1.log')).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  it('does not lose a plain file that stands in the place of the link', async () => {
    const home = newHome();
    writeFileSync(join(home, 'orange.log'), 'old\n');
    const log = openLog(home);
    log.write({ event: 'x' });
    await log.close();
    expect(lstatSync(join(home, 'orange.log')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(home, 'orange.log.before'), 'utf8')).toBe('old\n');
  });

  it('has a record on the disk at once, so that a kill does not lose it', async () => {
    const home = newHome();
    const log = openLog(home);
    await vi.waitFor(() => expect(existsSync(join(home, 'orange.log'))).toBe(true), 20_000);
    log.write({ event: 'last.words' });
    expect(readRecords(join(home, 'orange.log'))).toMatchObject([{ event: 'last.words' }]);
    await log.close();
  });

  it('starts without a place to write and keeps the first records until there is one', async () => {
    const home = join(newHome(), 'later');
    const log = openLog(home);
    log.write({ event: 'early' });
    await new Promise(setImmediate);
    mkdirSync(home);
    await vi.waitFor(() => expect(existsSync(join(home, 'orange.log'))).toBe(true), 5000);
    await log.close();
    expect(readRecords(join(home, 'orange.log'))).toMatchObject([{ event: 'early' }]);
  });

  it('survives the loss of its directory', async () => {
    const home = newHome();
    const log = openLog(home, { size: '1k' });
    log.write({ event: 'before' });
    rmSync(home, { recursive: true });
    for (let index = 0; index < 20; index += 1) {
      log.write({ event: 'during', filler: 'x'.repeat(500) });
      await new Promise(setImmediate);
    }
    mkdirSync(home);
    await vi.waitFor(() => {
      log.write({ event: 'after' });
      expect(readFileSync(join(home, 'orange.log'), 'utf8')).toContain('"after"');
    }, 10_000);
    await log.close();
  });

  it('works when bundled', async () => {
    const home = newHome();
    const outfile = join(home, 'bundle.mjs');
    await build({
      stdin: {
        contents: `import { createJsonLog } from './src/adapters/json-log.js';
          const log = createJsonLog({ directory: process.argv[2], file: 'orange.log', level: 'info' });
          log.write({ event: 'bundled' });
          await log.close();`,
        resolveDir: join(import.meta.dirname, '../..'),
        loader: 'ts',
      },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'silent',
      banner: {
        js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);",
      },
    });
    execFileSync(process.execPath, [outfile, home], { cwd: home });
    expect(readRecords(join(home, 'orange.log'))).toMatchObject([{ event: 'bundled' }]);
  });
});

describe('F15 a full disk', () => {
  const disk = mountSmallDisk();
  afterAll(() => {
    if (disk === null) return;
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  // Only root may mount the small disk this needs.
  it.skipIf(disk === null)('costs records but nothing else, and logging comes back', async () => {
    const home = disk ?? '';
    const log = openLog(home);
    log.write({ event: 'before' });
    await vi.waitFor(() => expect(existsSync(join(home, 'orange.log'))).toBe(true), 20_000);
    writeFileSync(join(home, 'ballast'), Buffer.alloc(100 * 1024));
    for (let index = 0; index < 3000; index += 1) {
      log.write({ event: 'during', index, filler: 'x'.repeat(1000) });
    }
    await new Promise(setImmediate);
    log.write({ event: 'still.alive' });
    rmSync(join(home, 'ballast'));
    execFileSync('mount', ['-o', 'remount,size=16m', home]);
    await vi.waitFor(
      () => expect(readFileSync(join(home, 'orange.log'), 'utf8')).toContain('"log.gap"'),
      10_000,
    );
    log.write({ event: 'after' });
    await log.close();
    const records = readRecords(join(home, 'orange.log'));
    expect(records.at(-1)).toMatchObject({ event: 'after' });
    const gap = records.find((record) => record['event'] === 'log.gap');
    const kept = records.filter((record) => record['event'] === 'during').length;
    // 'still.alive' may be among the lost.
    expect([3000, 3001]).toContain(kept + Number(gap?.['records']));
    expect(gap).toMatchObject({ level: 'warn' });
  });
});

function mountSmallDisk(): string | null {
  const place = mkdtempSync(join(tmpdir(), 'or-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', place], { stdio: 'ignore' });
    return place;
  } catch {
    return null;
  }
}
