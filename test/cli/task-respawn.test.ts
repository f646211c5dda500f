import { describe, expect, it } from 'vitest';
import { outcome } from '../fakes/fake-client.js';
import { snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

describe('orange task respawn', () => {
  it('says what brings a stuck task back, since a new agent does not', async () => {
    const task = taskView({ fields: { status: 'stuck' } });
    const rig = cliRig({ snapshot: snapshotOf([task]), answer: () => outcome({ task }) });
    const { stdout } = await rig.run('task', 'respawn', 'abc0');
    expect(stdout).toContain('It stays stuck until you bring it back');
    expect(stdout).toContain('orange task request-changes shop/dark-mode -m TEXT');
    expect(stdout).toContain('orange task update shop/dark-mode --status working');
  });

  it('says nothing of it for a task that goes on', async () => {
    const task = taskView();
    const rig = cliRig({ snapshot: snapshotOf([task]), answer: () => outcome({ task }) });
    expect((await rig.run('task', 'respawn', 'abc0')).stdout).not.toContain('stuck');
  });
});
