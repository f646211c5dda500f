import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../src/domain/project.js';
import { createPoolFile, formatPool, parsePool } from '../../src/record/pool-file.js';
import {
  createProjectsFile,
  formatProjects,
  parseProjects,
} from '../../src/record/projects-file.js';
import { readJson } from '../../src/record/read-json.js';
import { temporaryHome } from './temporary-home.js';

const PROJECT: Project = { name: 'orange', path: '/repo', default_branch: 'main', pool_size: 2 };

function problemsOf(result: ReturnType<typeof parseProjects> | ReturnType<typeof parsePool>) {
  if (result.ok || result.failure.kind !== 'file-rejected') return [];
  return result.failure.diagnostics.map(({ code, line }) => `${code}:${line}`);
}

describe('reading JSON', () => {
  it('agrees with JSON.parse on every value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const reading = readJson(text);
        expect(reading).toMatchObject({ ok: true });
        if (reading.ok) expect(reading.root.value).toEqual(JSON.parse(text));
      }),
    );
  });

  it('agrees with JSON.parse on what is no JSON', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      'true',
      ' ',
      '\n',
      '"',
      'x',
      '-',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const reading = readJson(text);
        // A key that stands twice is the one thing that is stricter here.
        if (reading.ok || !reading.problem.includes('twice')) expect(reading.ok).toBe(isJson);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['[\n1,\n]', 3],
    ['{"a": 1,\n"b" 2}', 2],
    ['{"a": tru}', 1],
    ['[\n"open\n]', 2],
    ['', 1],
    ['[1]\n]', 2],
    ['['.repeat(100), 1],
    ['{"a":1,\n"a":2}', 2],
  ])('says on which line %j is wrong', (text, line) => {
    expect(readJson(text)).toMatchObject({ ok: false, line });
  });
});

describe('projects.json', () => {
  it('ORA-12 to ORA-17 is a list of entries with four keys', () => {
    const text = `[
  {
    "name": "orange",
    "path": "/repo",
    "default_branch": "main",
    "pool_size": 2
  }
]
`;
    expect(formatProjects([PROJECT])).toBe(text);
    expect(parseProjects(text, 'projects.json')).toEqual({ ok: true, value: [PROJECT] });
  });

  it('keeps keys it does not know', () => {
    const extended = { ...PROJECT, trusted: 'abc', colour: ['red'] };
    const text = formatProjects([extended]);
    const projects = parseProjects(text, 'f');
    expect(projects.ok && formatProjects(projects.value)).toBe(text);
    expect(text).toContain('"colour"');
  });

  it.each([
    ['{}', ['ORA071:1']],
    ['[\n  {"name": "a"}\n]', ['ORA071:2', 'ORA071:2', 'ORA071:2']],
    [
      '[\n{\n"name": "../x",\n"path": "rel",\n"default_branch": "",\n"pool_size": "2"}]',
      ['ORA071:3', 'ORA071:4', 'ORA071:5', 'ORA071:6'],
    ],
    [JSON.stringify([PROJECT, PROJECT]), ['ORA071:1']],
    ['[\n[', ['ORA070:2']],
    ['', ['ORA070:1']],
    ['[1]', ['ORA071:1']],
  ])('F21 refuses %j with its lines', (text, problems) => {
    expect(problemsOf(parseProjects(text, 'f'))).toEqual(problems);
  });

  it('ORA-2 exists once something was written, and reads as empty before', () => {
    using home = temporaryHome();
    const file = createProjectsFile(home.files, home.paths.projectsFile);
    expect(file.read()).toEqual({ ok: true, value: [] });
    expect(file.write([PROJECT])).toEqual({ ok: true, value: undefined });
    expect(file.read()).toEqual({ ok: true, value: [PROJECT] });
  });

  it.each(['', '[{', '{}', '\0', '[{"name":"x"}]'])(
    'a damaged file (%j) is neither empty nor overwritten',
    (damage) => {
      using home = temporaryHome();
      writeFileSync(home.paths.projectsFile, damage);
      const file = createProjectsFile(home.files, home.paths.projectsFile);
      expect(file.read()).toMatchObject({ ok: false, failure: { kind: 'file-rejected' } });
      expect(file.write([PROJECT])).toMatchObject({ ok: false });
      expect(readFileSync(home.paths.projectsFile, 'utf8')).toBe(damage);
    },
  );

  it('a link in its place is not followed', () => {
    using home = temporaryHome();
    writeFileSync(`${home.paths.home}/other.json`, '[]');
    symlinkSync('other.json', home.paths.projectsFile);
    const file = createProjectsFile(home.files, home.paths.projectsFile);
    expect(file.read()).toMatchObject({ ok: false, failure: { kind: 'io-failed', code: 'ELOOP' } });
    expect(file.write([PROJECT])).toMatchObject({ ok: false });
  });
});

describe('.pool.json', () => {
  const POOL = {
    workspaces: {
      'orange--1': { status: 'bound', task: 'orange/dark-mode' },
      'a--b--2': { status: 'available' },
    },
  } as const;

  it('ORA-90 to ORA-94 has the seed`s shape', () => {
    const text = formatPool(POOL);
    expect(JSON.parse(text)).toEqual(POOL);
    expect(text.endsWith('}\n')).toBe(true);
    expect(parsePool(text, 'f')).toEqual({ ok: true, value: POOL });
  });

  it('ORA-94 an available row carries no task, and unknown keys stay', () => {
    const row = { status: 'available', task: 'orange/x', task_id: 'abc', warm: true } as const;
    expect(JSON.parse(formatPool({ workspaces: { 'orange--1': row } }))).toEqual({
      workspaces: { 'orange--1': { status: 'available', warm: true } },
    });
    const text =
      '{"workspaces":{"p--1":{"status":"bound","task":"p/b","task_id":"x","since":1}},"v":2}';
    const pool = parsePool(text, 'f');
    expect(pool.ok && JSON.parse(formatPool(pool.value))).toEqual(JSON.parse(text));
  });

  it.each([
    '[]',
    '{}',
    '{"workspaces": []}',
    '{"workspaces": {"orange": {"status": "available"}}}',
    '{"workspaces": {"orange--0": {"status": "available"}}}',
    '{"workspaces": {"orange--1": {"status": "leased"}}}',
    '{"workspaces": {"orange--1": {"status": "bound"}}}',
    '{"workspaces": {"orange--1": {"status": "available", "task": "x"}}}',
    '{"workspaces": {"orange--1": null}}',
  ])('F20 refuses %s', (text) => {
    expect(problemsOf(parsePool(text, 'f'))).toHaveLength(1);
  });

  it('is rebuilt only on purpose, and the damaged file is kept', () => {
    using home = temporaryHome();
    home.files.makeDirectory(home.paths.workspacesDir);
    writeFileSync(home.paths.poolFile, '{"workspaces": {"or');
    const pool = createPoolFile(home.files, home.paths.poolFile);
    expect(pool.write(POOL)).toMatchObject({ ok: false });
    expect(pool.rebuild(POOL)).toEqual({
      ok: true,
      value: { kept: `${home.paths.poolFile}.damaged` },
    });
    expect(pool.read()).toEqual({ ok: true, value: POOL });
    expect(readFileSync(`${home.paths.poolFile}.damaged`, 'utf8')).toBe('{"workspaces": {"or');
    expect(pool.rebuild({ workspaces: {} })).toEqual({ ok: true, value: { kept: null } });
    expect(readdirSync(dirname(home.paths.poolFile))).toEqual(['.pool.json', '.pool.json.damaged']);
  });
});
