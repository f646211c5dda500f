import { describe, expect, it } from 'vitest';
import { failed, success } from '../../../src/domain/result.js';
import { openDaemonHome } from '../daemon-home.js';
import { addWorktree, gitLike, mending, UNCLEAN, WORKSPACE } from './mending.js';

const NO_FILES = { kind: 'io-failed', path: 'git', operation: 'run', code: 'EMFILE' } as const;

describe('the mender', () => {
  it('F17 frees a worktree within seconds once there are descriptors, and looks at nothing without need', async () => {
    using home = openDaemonHome();
    addWorktree(home);
    let looks = 0;
    let isShort = true;
    const { mender } = mending(home, {
      lookAtTerminal: async () => {
        looks += 1;
        return { kind: 'listed', sessions: [] };
      },
      repositories: gitLike({
        release: async () => (isShort ? failed(NO_FILES) : success({ salvageRef: null })),
      }),
    });
    await mender.mendHindered();
    home.world.quarantined.set(WORKSPACE, UNCLEAN);
    await mender.mendHindered();
    expect(looks).toBe(0);
    home.world.quarantined.set(WORKSPACE, { ...UNCLEAN, isHindered: true });
    for (let second = 0; second < 60; second += 1) {
      await mender.mendHindered();
      home.clock.advance(1000);
    }
    expect(home.world.quarantined.get(WORKSPACE)).toMatchObject({ failures: 0 });
    expect(home.log.records.filter(({ event }) => event === 'mend.failed')).toHaveLength(1);
    isShort = false;
    home.clock.advance(2000);
    await mender.mendHindered();
    expect([...home.world.quarantined]).toEqual([]);
    looks = 0;
    home.clock.advance(3_600_000);
    await mender.mendHindered();
    expect(looks).toBe(0);
  });
});
