import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { armFailpoints } from '../../src/domain/failpoint.js';
import { InternalError } from '../../src/domain/failure.js';
import type { Result } from '../../src/domain/result.js';
import type { FileStamp, Replacement } from '../../src/ports.js';

const files = createDiskFiles();
let dir = '';
let file = '';

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orange-disk-'));
  file = join(dir, 'TASK.md');
});
afterEach(() => {
  armFailpoints(() => undefined);
  rmSync(dir, { recursive: true, force: true });
});

function stampOf(path: string): FileStamp {
  const state = files.stat(path);
  if (!state.ok || state.value.kind !== 'file') throw new Error(`no file: ${path}`);
  return state.value.stamp;
}

function keptBy(result: Result<Replacement>): readonly string[] {
  return result.ok && result.value.kind === 'replaced' ? result.value.kept : [];
}

function codeOf(result: Result<unknown>): string {
  if (result.ok) return 'ok';
  return result.failure.kind === 'io-failed' ? result.failure.code : result.failure.kind;
}

describe('reading', () => {
  it('gives a file`s text, byte order mark included, with its stamp', () => {
    writeFileSync(file, '\uFEFFa\r\nü🍊');
    expect(files.readText(file, 100)).toEqual({
      ok: true,
      value: { text: '\uFEFFa\r\nü🍊', stamp: stampOf(file) },
    });
    writeFileSync(file, '');
    expect(files.readText(file, 0)).toMatchObject({ ok: true, value: { text: '' } });
  });

  it('F35 refuses links, pipes, sockets, devices and directories at once', async () => {
    const link = join(dir, 'link');
    symlinkSync('/etc/passwd', link);
    const pipe = join(dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const socket = join(dir, 's');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    expect(codeOf(files.readText(link, 1000))).toBe('ELOOP');
    expect(codeOf(files.readText(pipe, 1000))).toBe('ENOTREG');
    expect(codeOf(files.readText(socket, 1000))).toBe('ENXIO');
    expect(codeOf(files.readText('/dev/zero', 1000))).toBe('ENOTREG');
    expect(codeOf(files.readText(dir, 1000))).toBe('ENOTREG');
    expect(codeOf(files.readText(file, 1000))).toBe('ENOENT');
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('F31 refuses what is too large or not UTF-8, and can read it lossily', () => {
    writeFileSync(file, 'x'.repeat(11));
    expect(files.readText(file, 10)).toEqual({
      ok: false,
      failure: { kind: 'io-failed', path: file, operation: 'read', code: 'EFBIG' },
    });
    writeFileSync(file, Buffer.from('ü', 'utf16le'));
    expect(codeOf(files.readText(file, 10))).toBe('EILSEQ');
    writeFileSync(file, Buffer.from([0x61, 0xff, 0x62]));
    expect(files.readText(file, 10, 'lossy')).toMatchObject({
      ok: true,
      value: { text: 'a\uFFFDb' },
    });
  });

  it('F31 reads the beginning of what is too large', () => {
    writeFileSync(file, 'x'.repeat(11));
    expect(files.readStart(file, 10)).toMatchObject({
      ok: true,
      value: { text: 'x'.repeat(10), stamp: { size: 11 } },
    });
    expect(files.readStart(file, 20)).toMatchObject({ value: { text: 'x'.repeat(11) } });
    expect(codeOf(files.readStart(dir, 10))).toBe('ENOTREG');
  });

  it('tells files, links, directories, special files and nothing apart', () => {
    writeFileSync(file, 'x');
    symlinkSync('nowhere', join(dir, 'link'));
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    expect(files.stat(file)).toMatchObject({
      ok: true,
      value: { kind: 'file', stamp: { size: 1 } },
    });
    expect(files.stat(join(dir, 'link'))).toEqual({
      ok: true,
      value: { kind: 'link', target: 'nowhere' },
    });
    expect(files.stat(join(dir, 'pipe'))).toEqual({ ok: true, value: { kind: 'special' } });
    expect(files.stat(dir)).toEqual({ ok: true, value: { kind: 'directory' } });
    expect(files.stat(join(dir, 'no'))).toEqual({ ok: true, value: { kind: 'absent' } });
    expect(codeOf(files.stat(join(file, 'below')))).toBe('ENOTDIR');
  });
});

describe('making directories', () => {
  it('ends with the reason where none can be made, above or at the path', () => {
    expect(codeOf(files.makeDirectory('/proc/nowhere/below'))).toBe('ENOENT');
    const inTheWay = join(dir, 'in-the-way');
    writeFileSync(inTheWay, '');
    expect(codeOf(files.makeDirectory(inTheWay))).toBe('EEXIST');
    expect(codeOf(files.makeDirectory(join(inTheWay, 'below', 'it')))).toBe('ENOTDIR');
  });
});

describe('replacing', () => {
  it('F26 makes private files and directories under any umask, and leaves no litter', () => {
    const before = process.umask(0);
    try {
      const deep = join(dir, 'a', 'b');
      expect(files.makeDirectory(deep)).toMatchObject({ ok: true });
      expect(files.makeDirectory(deep)).toMatchObject({ ok: true });
      const path = join(deep, 'f');
      const stamp = files.replace(path, 'text');
      expect(files.appendLines(join(deep, 'log'), ['{}'])).toMatchObject({ ok: true });
      expect(stamp).toEqual({ ok: true, value: stampOf(path) });
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(join(deep, 'log')).mode & 0o777).toBe(0o600);
      expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o700);
      expect(statSync(deep).mode & 0o777).toBe(0o700);
      expect(readdirSync(deep)).toEqual(['f', 'log']);
    } finally {
      process.umask(before);
    }
  });

  it('puts a file in the place of a link without following it', () => {
    const target = join(dir, 'target');
    writeFileSync(target, 'theirs');
    symlinkSync(target, file);
    expect(files.replace(file, 'ours')).toMatchObject({ ok: true });
    expect(readFileSync(target, 'utf8')).toBe('theirs');
    expect(lstatSync(file).isFile()).toBe(true);
  });

  it('removes its temporary file when it fails', () => {
    mkdirSync(join(file, 'full'), { recursive: true });
    expect(files.replace(file, 'x')).toMatchObject({ ok: false, failure: { kind: 'io-failed' } });
    expect(files.link(file, 'x')).toMatchObject({ ok: false });
    expect(readdirSync(dir)).toEqual(['TASK.md']);
    expect(codeOf(files.replace(join(dir, 'no', 'f'), 'x'))).toBe('ENOENT');
  });

  it('replaces a file only while it is what was read', () => {
    const keepAs = join(dir, 'kept', 'old');
    mkdirSync(join(dir, 'kept'));
    writeFileSync(file, 'one');
    const stamp = stampOf(file);
    const first = files.replaceIfUnchanged(file, stamp, 'two', keepAs);
    expect(first).toMatchObject({
      ok: true,
      value: { kind: 'replaced', stamp: stampOf(file), kept: [expect.any(String)] },
    });
    const meanwhile = { ok: true, value: { kind: 'changed-meanwhile' } };
    expect(files.replaceIfUnchanged(file, stamp, 'three', keepAs)).toEqual(meanwhile);
    const second = stampOf(file);
    writeFileSync(file, 'six');
    utimesSync(file, 1, 1);
    expect(files.replaceIfUnchanged(file, second, 'three', keepAs)).toEqual(meanwhile);
    rmSync(file);
    expect(files.replaceIfUnchanged(file, second, 'three', keepAs)).toEqual(meanwhile);
    symlinkSync('elsewhere', file);
    expect(files.replaceIfUnchanged(file, second, 'three', keepAs)).toEqual(meanwhile);
    expect(readdirSync(dir)).toEqual(['TASK.md', 'kept']);
    expect(readdirSync(join(dir, 'kept'))).toHaveLength(1);
  });

  it('keeps a name for what it replaced, so that whoever has it open writes into no void', () => {
    writeFileSync(file, 'before');
    const fd = openSync(file, 'r+');
    const result = files.replaceIfUnchanged(file, stampOf(file), 'after', join(dir, 'old'));
    writeSync(fd, 'late!!', 0);
    closeSync(fd);
    expect(keptBy(result).map((path) => readFileSync(path, 'utf8'))).toEqual(['late!!']);
    expect(readFileSync(file, 'utf8')).toBe('after');
  });

  it('keeps what another writer put in place after our last look, and nothing else of theirs', () => {
    const draft = join(dir, 'TASK.md.tmp.77');
    const keepAs = join(dir, 'kept', 'old');
    mkdirSync(join(dir, 'kept'));
    writeFileSync(file, 'before');
    writeFileSync(draft, 'theirs');
    writeFileSync(join(dir, 'notes.txt'), 'nobody asked');
    armFailpoints((name) => {
      if (name === 'disk.kept') renameSync(draft, file);
    });
    const result = files.replaceIfUnchanged(file, stampOf(file), 'after', keepAs);
    const texts = keptBy(result).map((path) => readFileSync(path, 'utf8'));
    expect(texts.toSorted()).toEqual(['before', 'theirs']);
    expect(readFileSync(file, 'utf8')).toBe('after');
    expect(readdirSync(join(dir, 'kept'))).toHaveLength(2);
  });

  it.each(['renamed', 'directory-synced'])(
    'F16 puts the old file back when it cannot be made durable: %s',
    (step) => {
      mkdirSync(join(dir, 'kept'));
      writeFileSync(file, 'before');
      armFailpoints((name) => {
        if (name === `task-file.${step}`) throw Object.assign(new Error('sync'), { code: 'EIO' });
      });
      const keepAs = join(dir, 'kept', 'old');
      expect(codeOf(files.replaceIfUnchanged(file, stampOf(file), 'after', keepAs))).toBe('EIO');
      expect(readFileSync(file, 'utf8')).toBe('before');
      const fresh = join(dir, 'new', 'TASK.md');
      mkdirSync(join(dir, 'new'));
      expect(codeOf(files.replace(fresh, 'x'))).toBe('EIO');
      expect(readdirSync(join(dir, 'new'))).toEqual([]);
      expect(readdirSync(join(dir, 'kept'))).toEqual([]);
    },
  );

  it('puts a link in the place of a copy only while it is what was read', () => {
    writeFileSync(file, 'copy');
    const stamp = stampOf(file);
    const keepAs = join(dir, 'old');
    expect(files.linkIfUnchanged(file, { ...stamp, size: 9 }, '/target', keepAs)).toEqual({
      ok: true,
      value: { kind: 'changed-meanwhile' },
    });
    const linked = files.linkIfUnchanged(file, stamp, '/target', keepAs);
    expect(readlinkSync(file)).toBe('/target');
    expect(keptBy(linked).map((path) => readFileSync(path, 'utf8'))).toEqual(['copy']);
  });
});

describe('appending', () => {
  it('ORA-80 adds lines to what is there', () => {
    expect(files.appendLines(file, ['{"a":1}'])).toEqual({ ok: true, value: { repaired: null } });
    expect(files.appendLines(file, ['{"b":2}', '{"c":3}'])).toMatchObject({ ok: true });
    expect(files.appendLines(file, [])).toMatchObject({ ok: true });
    expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"b":2}\n{"c":3}\n');
    expect(() => files.appendLines(file, ['a\nb'])).toThrow(InternalError);
  });

  it.each([
    ['half an object', '{"b', '{"b'],
    ['no object', '[1]', '[1]'],
    ['zeros after a power loss', '\0\0\0\0', '\0\0\0\0'],
    ['half a character', Buffer.from([0x7b, 0x22, 0xf0, 0x9f]), '{"\uFFFD'],
    ['a tail of 200 KB', `{"b":"${'x'.repeat(200_000)}`, `{"b":"${'x'.repeat(200_000)}`],
  ])('F7 cuts a torn last line before it appends: %s', (_, tail, repaired) => {
    writeFileSync(file, Buffer.concat([Buffer.from('{"a":1}\n'), Buffer.from(tail)]));
    expect(files.appendLines(file, ['{"c":3}'])).toEqual({ ok: true, value: { repaired } });
    expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"c":3}\n');
  });

  it.each(['history.tail-cut', 'history.mid-line', 'history.synced'] as const)(
    'F7 F14 a torn last line is there to be told of when the append fails at %s',
    (place) => {
      writeFileSync(file, '{"a":1}\n{"b');
      armFailpoints((name) => {
        if (name === place) throw Object.assign(new Error('full'), { code: 'ENOSPC', errno: -28 });
      });
      expect(codeOf(files.appendLines(file, ['{"c":3}']))).toBe('ENOSPC');
      expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"b');
      armFailpoints(() => undefined);
      const appended = files.appendLines(file, ['{"c":3}']);
      expect(appended).toEqual({ ok: true, value: { repaired: '{"b' } });
    },
  );

  it('keeps a complete last object that lacks only its line break', () => {
    writeFileSync(file, '{"a":1}\n{"b":"ü"}');
    expect(files.appendLines(file, ['{"c":3}'])).toEqual({ ok: true, value: { repaired: null } });
    expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n{"b":"ü"}\n{"c":3}\n');
  });

  it('does not append to a link or a pipe', () => {
    symlinkSync(join(dir, 'other'), file);
    expect(codeOf(files.appendLines(file, ['{}']))).toBe('ELOOP');
    const pipe = join(dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(codeOf(files.appendLines(pipe, ['{}']))).toBe('ENOTREG');
    expect(existsSync(join(dir, 'other'))).toBe(false);
  });

  it('F13 F14 a disk that takes no more leaves the old content whole', () => {
    const program = join(dir, 'program.mjs');
    buildSync({
      stdin: {
        contents: `
          import { createDiskFiles } from './src/adapters/disk-files.ts';
          const files = createDiskFiles();
          const [log, pool] = process.argv.slice(2);
          const results = [
            files.appendLines(log, ['{"big":"' + 'x'.repeat(30000) + '"}']),
            files.replace(pool, 'y'.repeat(30000)),
            files.appendLines(log, ['{"b":2}']),
          ];
          console.log(JSON.stringify(results.map((r) => (r.ok ? 'ok' : r.failure.code))));`,
        resolveDir: process.cwd(),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
    });
    const home = join(dir, 'home');
    mkdirSync(home);
    const log = join(home, 'log');
    const pool = join(home, 'pool');
    writeFileSync(log, '{"a":1}\n');
    writeFileSync(pool, 'old');
    const limited = [
      '-c',
      'ulimit -f 16 && exec "$@"',
      'bash',
      process.execPath,
      program,
      log,
      pool,
    ];
    expect(JSON.parse(execFileSync('bash', limited, { encoding: 'utf8' }))).toEqual([
      'EFBIG',
      'EFBIG',
      'ok',
    ]);
    expect(readFileSync(log, 'utf8')).toBe('{"a":1}\n{"b":2}\n');
    expect(readFileSync(pool, 'utf8')).toBe('old');
    expect(readdirSync(home)).toEqual(['log', 'pool']);
  });
});

describe('links and removal', () => {
  it('puts a link in the place of a file or another link at once', () => {
    writeFileSync(file, 'x');
    expect(files.link(file, '/somewhere')).toMatchObject({ ok: true });
    expect(files.link(file, '/elsewhere')).toMatchObject({ ok: true });
    expect(readlinkSync(file)).toBe('/elsewhere');
    expect(readdirSync(dir)).toEqual(['TASK.md']);
  });

  it('lists names in order, and removes files and trees; what is absent is fine', () => {
    writeFileSync(join(dir, 'b'), '');
    mkdirSync(join(dir, 'a', 'c'), { recursive: true });
    expect(files.list(dir)).toEqual({ ok: true, value: ['a', 'b'] });
    expect(codeOf(files.list(join(dir, 'no')))).toBe('ENOENT');
    expect(files.remove(join(dir, 'b'))).toMatchObject({ ok: true });
    expect(files.remove(join(dir, 'b'))).toMatchObject({ ok: true });
    expect(files.remove(join(dir, 'a'))).toMatchObject({ ok: false });
    expect(codeOf(files.removeEmpty(join(dir, 'a')))).toBe('ENOTEMPTY');
    expect(files.removeTree(join(dir, 'a'))).toMatchObject({ ok: true });
    expect(files.removeTree(join(dir, 'a'))).toMatchObject({ ok: true });
    expect(files.list(dir)).toEqual({ ok: true, value: [] });
  });

  it('removing a tree removes a link in it, never what the link points to', () => {
    const outside = join(dir, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'keep'), '');
    mkdirSync(join(dir, 'tree'));
    symlinkSync(outside, join(dir, 'tree', 'link'));
    expect(files.removeTree(join(dir, 'tree'))).toMatchObject({ ok: true });
    expect(existsSync(join(outside, 'keep'))).toBe(true);
    chmodSync(outside, 0o700);
  });
});
