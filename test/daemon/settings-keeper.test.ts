import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { trustDigest, trustOf } from '../../src/daemon/load-settings.js';
import { SettingsKeeper } from '../../src/daemon/settings-keeper.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import { createProjectsFile } from '../../src/record/projects-file.js';
import type { Files } from '../../src/ports.js';
import { failingDisk, openDaemonHome } from './daemon-home.js';

const CANARY = 'harnesses: { evil: { command: [touch, /tmp/canary] } }\n';

function openKeeper(spoil?: (files: Files) => Files) {
  const home = openDaemonHome(spoil);
  const { files, paths, world, log } = home;
  const projectsFile = createProjectsFile(files, paths.projectsFile);
  const repository = join(paths.home, 'shop');
  for (const directory of [repository, paths.runDir]) files.makeDirectory(directory);
  const project = { name: 'shop', path: repository, default_branch: 'main', pool_size: 2 };
  projectsFile.write([project]);
  // Every file has been quiet for long.
  const clock = { nowMs: () => Date.now() + 60_000, monotonicMs: () => 0 };
  const restart = () => {
    const keeper = new SettingsKeeper({ world, files, paths, log, projectsFile, clock });
    keeper.reload();
    return keeper;
  };
  const keeper = new SettingsKeeper({ world, files, paths, log, projectsFile, clock });
  const orangeYaml = join(repository, 'orange.yaml');
  const goodConfig = join(paths.runDir, 'config.good.yaml');
  return { ...home, keeper, restart, project, projectsFile, orangeYaml, goodConfig };
}

describe('keeping the settings', () => {
  it('starts with the defaults where there is no file', () => {
    using home = openKeeper();
    home.keeper.reload();
    expect(home.keeper.user).toEqual(DEFAULT_SETTINGS);
    expect(home.world.settings.get('shop')).toEqual(DEFAULT_SETTINGS);
    expect(home.world.problems.size).toBe(0);
  });

  it('keeps the last good settings while config.yaml is broken, and names file and line', () => {
    using home = openKeeper();
    writeFileSync(home.paths.configFile, 'policy:\n  crash_limit: 5\n');
    home.keeper.reload();
    writeFileSync(home.paths.configFile, 'policy:\n  settle_ms: 10\n  crash_limit: lots\n');
    home.keeper.reload();
    expect(home.keeper.user.policy).toMatchObject({ crashLimit: 5, settleMs: 1500 });
    expect(home.world.settings.get('shop')?.policy.crashLimit).toBe(5);
    expect(home.world.problems.get(home.paths.configFile)).toMatchObject([
      { file: home.paths.configFile, line: 3, severity: 'error' },
    ]);
  });

  it('takes the file again once it is right, and forgets the problem', () => {
    using home = openKeeper();
    writeFileSync(home.paths.configFile, 'policy: [\n');
    home.keeper.reload();
    expect(home.world.problems.has(home.paths.configFile)).toBe(true);
    writeFileSync(home.paths.configFile, 'policy:\n  crash_limit: 7\n');
    home.keeper.reload();
    expect(home.keeper.user.policy.crashLimit).toBe(7);
    expect(home.world.problems.size).toBe(0);
  });

  it('tells whether the settings have changed', () => {
    using home = openKeeper();
    expect(home.keeper.reload()).toBe(true);
    expect(home.keeper.reload()).toBe(false);
    writeFileSync(home.paths.configFile, 'policy:\n  crash_limit: 5\n');
    expect(home.keeper.reload()).toBe(true);
  });

  it('goes back to the defaults when the file is removed', () => {
    using home = openKeeper();
    writeFileSync(home.paths.configFile, 'policy:\n  crash_limit: 7\n');
    home.keeper.reload();
    rmSync(home.paths.configFile);
    home.keeper.reload();
    expect(home.keeper.user).toEqual(DEFAULT_SETTINGS);
  });

  it('does not take a file that it cannot read for an absent one', () => {
    using home = openKeeper();
    writeFileSync(home.paths.configFile, 'policy:\n  crash_limit: 7\n');
    home.keeper.reload();
    rmSync(home.paths.configFile);
    symlinkSync('/etc/hostname', home.paths.configFile);
    home.keeper.reload();
    expect(home.keeper.user.policy.crashLimit).toBe(7);
    expect(home.world.problems.get(home.paths.configFile)).toMatchObject([{ severity: 'error' }]);
  });

  it('starts with the last good settings while config.yaml is broken, and names the problem', () => {
    using home = openKeeper();
    writeFileSync(home.paths.configFile, 'harnesses: { mybot: { command: [mybot] } }\n');
    home.keeper.reload();
    writeFileSync(home.paths.configFile, 'nonsense: 1\nharnesses: { other: { command: [x] } }\n');
    const keeper = home.restart();
    expect(Object.keys(keeper.user.harnesses)).toEqual(['mybot']);
    expect(keeper.inForce).toBe('last-good');
    expect(home.world.rejectedSettings).toMatchObject({ severity: 'error', line: 1 });
    expect(home.world.problems.get(home.paths.configFile)).toMatchObject([{ code: 'ORA081' }]);
    writeFileSync(home.paths.configFile, 'policy:\n  crash_limit: 7\n');
    keeper.reload();
    expect(keeper.user.harnesses).toEqual({});
    expect(keeper.inForce).toBe('as-written');
    expect(home.world.rejectedSettings).toBeNull();
  });

  it('keeps the last valid text for the user alone, and writes it only when it is another', () => {
    using home = openKeeper();
    writeFileSync(home.paths.configFile, 'policy:\n  crash_limit: 7\n');
    home.keeper.reload();
    expect(readFileSync(home.goodConfig, 'utf8')).toBe('policy:\n  crash_limit: 7\n');
    const { mode, ino } = statSync(home.goodConfig);
    expect(mode & 0o777).toBe(0o600);
    home.restart().reload();
    expect(statSync(home.goodConfig).ino).toBe(ino);
    writeFileSync(home.paths.configFile, 'nonsense: 1\n');
    home.restart();
    expect(statSync(home.goodConfig).ino).toBe(ino);
  });

  it('writes the last valid text once the disk takes it', () => {
    let isFull = true;
    using home = openKeeper(failingDisk((_, path) => isFull && path.endsWith('config.good.yaml')));
    writeFileSync(home.paths.configFile, 'policy:\n  crash_limit: 7\n');
    home.keeper.reload();
    expect(existsSync(home.goodConfig)).toBe(false);
    isFull = false;
    expect(home.keeper.reload()).toBe(false);
    expect(existsSync(home.goodConfig)).toBe(true);
  });

  it('starts with the defaults where config.yaml was removed, or never was valid', () => {
    using home = openKeeper();
    writeFileSync(home.paths.configFile, 'nonsense: 1\n');
    home.keeper.reload();
    expect(home.keeper.inForce).toBe('defaults');
    writeFileSync(home.paths.configFile, 'policy:\n  crash_limit: 7\n');
    home.keeper.reload();
    rmSync(home.paths.configFile);
    expect(home.restart().user).toEqual(DEFAULT_SETTINGS);
    expect(existsSync(home.goodConfig)).toBe(false);
    writeFileSync(home.paths.configFile, 'nonsense: 1\n');
    expect(home.restart().user).toEqual(DEFAULT_SETTINGS);
  });

  it('logs a problem once, however often it looks', () => {
    using home = openKeeper();
    writeFileSync(home.paths.configFile, 'nonsense: 1\n');
    for (let round = 0; round < 3; round += 1) home.keeper.reload();
    const logged = home.log.records.filter(({ event }) => event === 'settings.problem');
    expect(logged).toHaveLength(1);
  });

  it('keeps the projects it knows while projects.json is broken', () => {
    using home = openKeeper();
    home.keeper.reload();
    writeFileSync(home.paths.projectsFile, '[{"name": "shop",\n');
    home.keeper.reload();
    expect([...home.world.projects.keys()]).toEqual(['shop']);
    expect(home.world.problems.get(home.paths.projectsFile)).toHaveLength(1);
  });

  it('lets no untrusted orange.yaml name a command, and says so', () => {
    using home = openKeeper();
    writeFileSync(home.orangeYaml, `${CANARY}policy: { crash_limit: 4 }\n`);
    home.keeper.reload();
    expect(home.world.settings.get('shop')?.harnesses).toEqual({});
    expect(home.world.settings.get('shop')?.policy.crashLimit).toBe(4);
    expect(home.world.problems.get(home.orangeYaml)).toMatchObject([{ code: 'ORA083' }]);
    expect(trustOf(home.files, home.project)).toBe('untrusted');
  });

  it('lets a trusted orange.yaml name commands until the file changes', () => {
    using home = openKeeper();
    writeFileSync(home.orangeYaml, CANARY);
    const trusted = trustDigest(home.files, home.project) ?? '';
    home.projectsFile.write([{ ...home.project, trusted }]);
    home.keeper.reload();
    expect(home.world.settings.get('shop')?.harnesses).toHaveProperty('evil');
    expect(home.keeper.user.harnesses).toEqual({});
    writeFileSync(home.orangeYaml, CANARY.replace('evil', 'worse'));
    home.keeper.reload();
    expect(home.world.settings.get('shop')?.harnesses).toEqual({});
    expect(trustOf(home.files, { ...home.project, trusted })).toBe('changed');
  });

  it('forgets the problems of a project that was removed', () => {
    using home = openKeeper();
    writeFileSync(home.orangeYaml, 'nonsense: 1\n');
    home.keeper.reload();
    expect(home.world.problems.size).toBe(1);
    home.projectsFile.write([]);
    home.keeper.reload();
    expect(home.world.problems.size).toBe(0);
    expect([...home.world.settings.keys()]).toEqual(['']);
  });
});
