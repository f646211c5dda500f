import { describe, expect, it } from 'vitest';
import { parseProjects } from '../../src/record/projects-file.js';

const entry = { name: 'shop', path: '/code/shop', default_branch: 'main', pool_size: 2 };

function read(change: Readonly<Record<string, unknown>>) {
  return parseProjects(JSON.stringify([{ ...entry, ...change }], null, 2), 'projects.json');
}

describe('an entry of projects.json', () => {
  it.each([
    ['ORA-13 has a name that can stand in a path', 'name', 'shop-2', '../shop'],
    ['ORA-14 has the absolute path of the repository', 'path', '/code/shop', 'code/shop'],
    ['ORA-15 has a default branch', 'default_branch', 'trunk', ''],
    ['ORA-16 has a whole number of worktrees', 'pool_size', 3, 1.5],
  ])('%s', (_title, key, good, bad) => {
    expect(read({ [key]: good })).toMatchObject({ ok: true, value: [{ [key]: good }] });
    for (const wrong of [bad, undefined, null, []]) {
      const answer = read({ [key]: wrong });
      expect(answer).toMatchObject({ ok: false, failure: { kind: 'file-rejected' } });
      expect(JSON.stringify(answer)).toContain(key);
    }
  });
});
