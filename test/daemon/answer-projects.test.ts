import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerProjects } from '../../src/daemon/answer-projects.js';
import type { ProjectRequest } from '../../src/domain/request.js';
import { failed, success } from '../../src/domain/result.js';
import type { Repositories, RepositoryFacts } from '../../src/ports.js';
import { createProjectsFile } from '../../src/record/projects-file.js';
import { buildTaskIn } from '../builders/task.js';
import { openDaemonHome, SHOP } from './daemon-home.js';

const FACTS: RepositoryFacts = {
  root: '/src/My Shop.git',
  isBare: false,
  defaultBranch: 'trunk',
  hasCommits: true,
  remote: null,
};

function openProjects(facts: Partial<RepositoryFacts> | null = {}) {
  const home = openDaemonHome();
  const { files, paths, world } = home;
  world.replaceProjects([]);
  const projectsFile = createProjectsFile(files, paths.projectsFile);
  const inspect: Repositories['inspect'] = async (path) =>
    facts === null ? failed({ kind: 'not-a-repository', path }) : success({ ...FACTS, ...facts });
  const repositories = { inspect };
  return {
    ...home,
    projectsFile,
    rows: (): unknown => JSON.parse(readFileSync(paths.projectsFile, 'utf8')),
    answer: async (request: ProjectRequest) =>
      answerProjects({ world, files, repositories, projectsFile }, request),
  };
}

const ADD = {
  kind: 'project.add',
  path: '/src/My Shop.git',
  name: null,
  defaultBranch: null,
  poolSize: null,
} as const;
const UPDATE = {
  kind: 'project.update',
  name: 'shop',
  path: null,
  defaultBranch: null,
  poolSize: null,
} as const;

describe('projects', () => {
  it('ORA-12 are kept as a list of the four seed keys', async () => {
    using home = openProjects();
    await home.answer(ADD);
    expect(home.rows()).toEqual([
      { name: 'My-Shop', path: '/src/My Shop.git', default_branch: 'trunk', pool_size: 2 },
    ]);
  });

  it('take the name, branch and pool size that are given', async () => {
    using home = openProjects();
    await home.answer({ ...ADD, name: 'a--b', defaultBranch: 'dev', poolSize: 5 });
    expect(home.world.projects.get('a--b')).toMatchObject({ default_branch: 'dev', pool_size: 5 });
  });

  it.each(['', '-x', '.x', 'a/b', 'a b', '..'])('are refused under the name %j', async (name) => {
    using home = openProjects();
    expect(await home.answer({ ...ADD, name })).toMatchObject({
      failure: { kind: 'invalid-argument', argument: 'name' },
    });
    expect(home.world.projects.size).toBe(0);
  });

  it.each([0, -1, 1.5, 101, Number.NaN])('are refused with a pool of %d', async (poolSize) => {
    using home = openProjects();
    expect(await home.answer({ ...ADD, poolSize })).toMatchObject({
      failure: { argument: 'pool-size' },
    });
  });

  it('are registered once, by name and by path', async () => {
    using home = openProjects();
    await home.answer(ADD);
    expect(await home.answer({ ...ADD, name: 'other' })).toMatchObject({
      failure: { kind: 'project-exists', name: 'My-Shop' },
    });
  });

  it('need a repository with a commit', async () => {
    using none = openProjects(null);
    expect(await none.answer(ADD)).toMatchObject({ failure: { kind: 'not-a-repository' } });
    using empty = openProjects({ hasCommits: false });
    expect(await empty.answer(ADD)).toMatchObject({
      failure: { kind: 'repository-without-commits' },
    });
  });

  it('keep what is not changed, and keys that orange does not know', async () => {
    using home = openProjects({ root: '/moved/shop' });
    writeFileSync(home.paths.projectsFile, JSON.stringify([{ ...SHOP, note: 'mine' }]));
    const read = home.projectsFile.read();
    if (read.ok) home.world.replaceProjects(read.value);
    await home.answer({ ...UPDATE, path: '/moved/shop' });
    expect(home.rows()).toEqual([{ ...SHOP, path: '/moved/shop', note: 'mine' }]);
  });

  it('stay while they have live tasks, and go without touching the repository', async () => {
    using home = openProjects();
    home.world.replaceProjects([SHOP]);
    home.projectsFile.write([SHOP]);
    home.world.putTask(buildTaskIn('working'));
    const remove = { kind: 'project.remove', name: 'shop' } as const;
    expect(await home.answer(remove)).toMatchObject({
      failure: { kind: 'project-in-use', tasks: 1 },
    });
    home.world.putTask(buildTaskIn('done'));
    expect(await home.answer(remove)).toMatchObject({ ok: true });
    expect(home.rows()).toEqual([]);
  });

  it('are not found under a name that is close, which is suggested', async () => {
    using home = openProjects();
    home.world.replaceProjects([SHOP]);
    expect(await home.answer({ ...UPDATE, name: 'shpo' })).toMatchObject({
      failure: { kind: 'not-found', what: 'project', near: ['shop'] },
    });
  });

  it('pin the very orange.yaml that is trusted', async () => {
    using home = openProjects();
    const project = { ...SHOP, path: home.paths.home };
    home.world.replaceProjects([project]);
    const trust = { kind: 'project.trust', name: 'shop' } as const;
    expect(await home.answer(trust)).toMatchObject({ failure: { kind: 'not-found' } });
    writeFileSync(join(home.paths.home, 'orange.yaml'), 'pool: { fill: lazy }\n');
    const first = await home.answer(trust);
    writeFileSync(join(home.paths.home, 'orange.yaml'), 'pool: { fill: ahead }\n');
    const second = await home.answer(trust);
    expect(first).toMatchObject({ value: { trusted: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    expect(second).not.toEqual(first);
  });

  it('are never written over a projects.json that cannot be read', async () => {
    using home = openProjects();
    writeFileSync(home.paths.projectsFile, '[{');
    expect(await home.answer(ADD)).toMatchObject({ failure: { kind: 'file-rejected' } });
    expect(readFileSync(home.paths.projectsFile, 'utf8')).toBe('[{');
    expect(home.world.projects.size).toBe(0);
  });
});
