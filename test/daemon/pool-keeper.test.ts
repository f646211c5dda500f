import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PoolKeeper } from '../../src/daemon/pool-keeper.js';
import { createPoolFile } from '../../src/record/pool-file.js';
import { buildTask, buildTaskIn, TASK_ID } from '../builders/task.js';
import { openDaemonHome } from './daemon-home.js';

function openKeeper() {
  const home = openDaemonHome();
  home.files.makeDirectory(home.paths.workspacesDir);
  const keeper = new PoolKeeper(createPoolFile(home.files, home.paths.poolFile), home.log);
  const rows = (): unknown => JSON.parse(readFileSync(home.paths.poolFile, 'utf8')).workspaces;
  return { ...home, keeper, rows };
}

describe('keeping .pool.json', () => {
  it('ORA-10 says what TASK.md says, whatever stood there', () => {
    using home = openKeeper();
    const stale = { 'shop--1': { status: 'available' }, 'shop--9': { status: 'available' } };
    writeFileSync(home.paths.poolFile, JSON.stringify({ workspaces: stale }));
    home.world.worktrees.add('shop--1').add('shop--2');
    home.world.putTask(buildTaskIn('working'));
    home.keeper.save(home.world);
    expect(home.rows()).toEqual({
      'shop--1': { status: 'bound', task: 'shop/dark-mode', task_id: TASK_ID },
      'shop--2': { status: 'available' },
    });
  });

  it('F46 forgets the last worktree too when somebody has taken it away', () => {
    using home = openKeeper();
    home.keeper.save(home.world);
    expect(existsSync(home.paths.poolFile)).toBe(false);
    const stale = { 'shop--1': { status: 'available' } };
    writeFileSync(home.paths.poolFile, JSON.stringify({ workspaces: stale }));
    home.keeper.save(home.world);
    expect(home.rows()).toEqual({});
  });

  it('lists a worktree that is promised to a start as bound', () => {
    using home = openKeeper();
    home.world.putTask(buildTask({ reservedWorkspace: 'shop--1' }));
    home.keeper.save(home.world);
    expect(home.rows()).toMatchObject({ 'shop--1': { status: 'bound' } });
  });

  it('leaves quarantined worktrees and those of no project out', () => {
    using home = openKeeper();
    home.world.worktrees.add('shop--1').add('shop--2').add('gone--1');
    home.world.quarantined.set('shop--2', { reason: 'it is not clean', failures: 0 });
    home.keeper.save(home.world);
    expect(home.rows()).toEqual({ 'shop--1': { status: 'available' } });
  });

  it('writes no file while there is nothing to say', () => {
    using home = openKeeper();
    home.keeper.save(home.world);
    expect(existsSync(home.paths.poolFile)).toBe(false);
  });

  it('writes only when something changed', () => {
    using home = openKeeper();
    home.world.worktrees.add('shop--1');
    home.keeper.save(home.world);
    const before = home.files.stat(home.paths.poolFile);
    home.keeper.save(home.world);
    expect(home.files.stat(home.paths.poolFile)).toEqual(before);
  });

  it('writes soon by itself, and at once for whoever is about to be told', async () => {
    using home = openKeeper();
    home.keeper.flush(home.world);
    expect(existsSync(home.paths.poolFile)).toBe(false);
    home.world.worktrees.add('shop--1');
    home.keeper.saveSoon(home.world);
    expect(existsSync(home.paths.poolFile)).toBe(false);
    await expect.poll(() => existsSync(home.paths.poolFile), { timeout: 20_000 }).toBe(true);
    home.world.worktrees.add('shop--2');
    home.keeper.saveSoon(home.world);
    home.keeper.flush(home.world);
    expect(home.rows()).toMatchObject({ 'shop--2': { status: 'available' } });
  });

  it('empties the file when the last worktree is gone', () => {
    using home = openKeeper();
    home.world.worktrees.add('shop--1');
    home.keeper.save(home.world);
    home.world.worktrees.clear();
    home.keeper.save(home.world);
    expect(home.rows()).toEqual({});
  });

  it('keeps a damaged file beside the one it writes, and logs it', () => {
    using home = openKeeper();
    writeFileSync(home.paths.poolFile, '{"workspaces": [');
    expect([...home.keeper.available()]).toEqual([]);
    home.world.worktrees.add('shop--1');
    home.keeper.save(home.world);
    expect(readFileSync(`${home.paths.poolFile}.damaged`, 'utf8')).toBe('{"workspaces": [');
    const logged = home.log.records.map(({ event }) => event);
    expect(logged).toEqual(['pool.damaged', 'pool.rebuilt']);
  });

  it('takes those for free that the file lists as available', () => {
    using home = openKeeper();
    const rows = {
      'shop--1': { status: 'bound', task: 'shop/x' },
      'shop--2': { status: 'available' },
    };
    writeFileSync(home.paths.poolFile, JSON.stringify({ workspaces: rows }));
    expect([...home.keeper.available()]).toEqual(['shop--2']);
  });
});
