import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { createHomeDoctor } from '../../src/cli/home-doctor.js';
import { openOffline } from '../../src/cli/open-offline.js';
import { readHome } from '../../src/cli/read-home.js';
import { failed, success } from '../../src/domain/result.js';
import { createPaths } from '../../src/record/paths.js';
import { SAMPLE_FIELDS, SAMPLE_TEXT } from '../record/sample-task.js';
import { cliRig } from './cli-rig.js';

const NO_DAEMON = failed({ kind: 'daemon-unreachable', reason: 'ENOENT' });
const PROJECTS = [{ name: 'orange', path: '/repo', default_branch: 'main', pool_size: 2 }];
const FACTS = {
  root: '/repo',
  isBare: false,
  defaultBranch: 'main',
  hasCommits: true,
  remote: null,
};

/** A home without a daemon: two tasks of a project, and a projects.json that a hand has broken. */
function brokenHome(kept: 'kept' | 'lost') {
  const place = { home: '' };
  const rig = cliRig({
    isDaemonUp: false,
    cwd: '/repo',
    repositories: { inspect: async () => success(FACTS) },
    override: {
      snapshot: () => readHome({ files: createDiskFiles(), paths: createPaths(place.home) }),
      doctor: createHomeDoctor({
        actor: 'human',
        runningClient: async () => success(null),
        client: async () => NO_DAEMON,
        openOffline: () =>
          openOffline({
            home: place.home,
            env: { PATH: process.env['PATH'] },
            pid: process.pid,
            version: '1.2.3',
          }),
      }),
    },
  });
  place.home = rig.home;
  mkdirSync(join(rig.home, 'run'), { mode: 0o700 });
  for (const id of ['V1StGXR8Z5jdHi6BmyT0a', 'V1StGXR8Z5jdHi6BmyT0b']) {
    const directory = join(rig.home, 'tasks', 'orange', id);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'TASK.md'), SAMPLE_TEXT.replace(SAMPLE_FIELDS.id, id));
    writeFileSync(join(directory, 'history.jsonl'), '');
  }
  const file = join(rig.home, 'projects.json');
  writeFileSync(file, '[{ "name": "orange"');
  if (kept === 'kept') {
    writeFileSync(join(rig.home, 'run', 'projects.good.json'), JSON.stringify(PROJECTS));
  }
  return { ...rig, file };
}

describe('a damaged projects.json without a daemon', () => {
  it('F21 lets commands go by the last valid projects, and is named', async () => {
    const rig = brokenHome('kept');
    const listed = await rig.run('project', 'list');
    expect(listed.stdout).toContain('orange /repo');
    expect(listed.stderr).toContain(`${rig.file}:1`);
    expect(listed.stderr).toContain('what was last valid is shown');
    expect((await rig.run('project', 'list', '--json')).json()).toMatchObject(PROJECTS);
    const tasks = await rig.run('ls');
    expect(tasks.stderr).not.toContain('not registered');
    expect(tasks.stderr).toContain('1 file needs attention: orange doctor');
  });

  it('F21 is the error that is told where no valid one is kept', async () => {
    const rig = brokenHome('lost');
    const listed = await rig.run('project', 'list');
    expect(listed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(listed.stderr).toContain(`${rig.file}:1`);
    expect((await rig.run('ls')).stderr).not.toContain('not registered');
  });

  it.each(['kept', 'lost'] as const)(
    'F21 is one finding of the doctor, without one for each task (last valid one: %s)',
    async (kept) => {
      const rig = brokenHome(kept);
      const findings = (await rig.run('doctor', '--json')).rows();
      expect(findings.filter(({ check }) => check === 'projects-file')).toHaveLength(1);
      const told = findings.filter(({ message }) => String(message).includes('not registered'));
      expect(told).toEqual([]);
    },
  );

  it('F21 that is gone is one finding of the doctor, too', async () => {
    const rig = brokenHome('kept');
    rmSync(rig.file);
    const findings = (await rig.run('doctor', '--json')).rows();
    expect(findings.filter(({ check }) => check === 'projects-file')).toHaveLength(1);
    const told = findings.filter(({ message }) => String(message).includes('not registered'));
    expect(told).toEqual([]);
  });
});
