import { describe, expect, it } from 'vitest';
import { LeftTrials } from '../../src/daemon/left-trials.js';
import { LiveWorld } from '../../src/daemon/live-world.js';
import type { Failure } from '../../src/domain/failure.js';
import { DONE, failed, success, type Result } from '../../src/domain/result.js';
import { createPaths } from '../../src/record/paths.js';
import { buildTaskIn } from '../builders/task.js';
import { manualClock, memoryLog, SHOP } from './daemon-home.js';

const NO_DESCRIPTORS: Failure = {
  kind: 'io-failed',
  path: 'git',
  operation: 'run',
  code: 'EMFILE',
};
const task = buildTaskIn('reviewing');
const { id } = task.fields;
const directory = createPaths('/home/pat/orange').trialDir(id);

/** Trials over a disk and a git that do as they are told. */
function trying(listed: Result<readonly string[]>) {
  const world = new LiveWorld();
  world.replaceProjects([SHOP]);
  world.putTask(task);
  const clock = manualClock();
  const log = memoryLog();
  const disk = { listed, cleared: DONE, asked: 0 };
  const trials = new LeftTrials({
    world,
    files: { list: () => disk.listed },
    paths: createPaths('/home/pat/orange'),
    log,
    clock,
    repositories: {
      clearTrial: async (repository, where) => {
        expect([repository, where]).toEqual([SHOP.path, directory]);
        disk.asked += 1;
        return disk.cleared;
      },
    },
  });
  return { trials, disk, clock, log };
}

describe('the checkout of a trial', () => {
  it('F17 that could not be removed when it was over is removed as soon as the machine lets it', async () => {
    const { trials, disk, clock, log } = trying(success([]));
    disk.cleared = failed(NO_DESCRIPTORS);
    const place = trials.place(id);
    expect(place.directory).toBe(directory);
    place.onLeft(NO_DESCRIPTORS);
    await trials.tend();
    expect(disk.asked).toBe(0);
    for (let seconds = 0; seconds < 60; seconds += 1) {
      clock.advance(1000);
      await trials.tend();
    }
    expect(disk.asked).toBeGreaterThanOrEqual(29);
    expect(log.records.filter(({ event }) => event === 'trial.not-removed')).toHaveLength(1);
    const before = disk.asked;
    disk.cleared = DONE;
    for (let seconds = 0; seconds < 10; seconds += 1) {
      clock.advance(1000);
      await trials.tend();
    }
    expect(disk.asked).toBe(before + 1);
  });

  it('that a killed daemon left is found once the disk can be read', async () => {
    const { trials, disk, clock } = trying(failed(NO_DESCRIPTORS));
    await trials.tend();
    expect(disk.asked).toBe(0);
    disk.listed = success([id]);
    await trials.tend();
    expect(disk.asked).toBe(1);
    clock.advance(60_000);
    await trials.tend();
    expect(disk.asked).toBe(1);
  });

  it('is nothing to look for where there never was one', async () => {
    const absent: Failure = {
      kind: 'io-failed',
      path: 'trials',
      operation: 'list',
      code: 'ENOENT',
    };
    const { trials, disk } = trying(failed(absent));
    await trials.tend();
    disk.listed = success([id]);
    await trials.tend();
    expect(disk.asked).toBe(0);
  });
});
