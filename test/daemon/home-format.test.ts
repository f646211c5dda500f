import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { adoptHomeFormat, HOME_FORMAT, type Migration } from '../../src/daemon/home-format.js';
import { failed, success, type Result } from '../../src/domain/result.js';
import { createPaths } from '../../src/record/paths.js';

function rig() {
  const home = mkdtempSync(join(tmpdir(), 'or-format-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const paths = createPaths(home);
  const mark = (): unknown => JSON.parse(readFileSync(paths.formatFile, 'utf8'));
  const adopt = (more: Partial<Parameters<typeof adoptHomeFormat>[0]> = {}): Result<void> =>
    adoptHomeFormat({ files: createDiskFiles(), paths, version: '1.2.3', ...more });
  return { home, paths, mark, adopt };
}

describe('the format of a home', () => {
  it('F73 is marked in a home that has no mark yet', () => {
    const { adopt, mark } = rig();
    expect(adopt()).toEqual(success(undefined));
    expect(mark()).toEqual({ format: HOME_FORMAT, orange: '1.2.3' });
  });

  it('F73 that is newer than this orange is refused, and nothing changes', () => {
    const { adopt, paths, home } = rig();
    const text = '{"format":99,"orange":"9.0.0"}\n';
    writeFileSync(paths.formatFile, text);
    const known = HOME_FORMAT;
    expect(adopt()).toEqual(
      failed({ kind: 'home-too-new', home, format: 99, known, version: '9.0.0' }),
    );
    expect(readFileSync(paths.formatFile, 'utf8')).toBe(text);
  });

  it('F73 that is older is brought up step by step, with a copy of every changed file', () => {
    const { adopt, mark, home, paths } = rig();
    writeFileSync(paths.projectsFile, 'one');
    const files = (): Result<readonly string[]> => success([paths.projectsFile]);
    const append = (from: number): Migration => {
      return { from, files, migrate: (text) => success(`${text}+${from + 1}`) };
    };
    expect(adopt({ known: 3, migrations: [append(1), append(2)] })).toEqual(success(undefined));
    expect(readFileSync(paths.projectsFile, 'utf8')).toBe('one+2+3');
    expect(readFileSync(join(home, 'backup/format-1/projects.json'), 'utf8')).toBe('one');
    expect(readFileSync(join(home, 'backup/format-2/projects.json'), 'utf8')).toBe('one+2');
    expect(mark()).toEqual({ format: 3, orange: '1.2.3' });
  });

  it('F73 goes on after a step was cut off, and migrates no file twice', () => {
    const { adopt, home, paths } = rig();
    writeFileSync(paths.projectsFile, 'one+2');
    mkdirSync(join(home, 'backup/format-1'), { recursive: true });
    writeFileSync(join(home, 'backup/format-1/projects.json'), 'one');
    const migration: Migration = {
      from: 1,
      files: () => success([paths.projectsFile]),
      migrate: (text) => success(`${text}+2`),
    };
    expect(adopt({ known: 2, migrations: [migration] })).toEqual(success(undefined));
    expect(readFileSync(paths.projectsFile, 'utf8')).toBe('one+2');
  });

  it('F73 stays what it was when a file cannot be migrated', () => {
    const { adopt, mark, paths } = rig();
    expect(adopt()).toEqual(success(undefined));
    writeFileSync(paths.projectsFile, 'one');
    const refusal = failed({ kind: 'internal', message: 'no' });
    const files = (): Result<readonly string[]> => success([paths.projectsFile]);
    const migration: Migration = { from: 1, files, migrate: () => refusal };
    expect(adopt({ known: 2, migrations: [migration] })).toEqual(refusal);
    expect(readFileSync(paths.projectsFile, 'utf8')).toBe('one');
    expect(mark()).toEqual({ format: 1, orange: '1.2.3' });
  });
});
