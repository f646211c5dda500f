import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
// Without environment, session or parent: nothing says any more whose it is.
const HIDDEN = `env -i sh -c '(setsid sh -c "echo \\$\\$ > $1; exec sleep 1000" &)' sh`;

describe('a worktree that a process lives on in', () => {
  it('F41 is not given to the next task before that process is gone, and the reason names it', async () => {
    await using rig = await createRig({
      poolSize: 1,
      agents: { plain: { worker: `${HIDDEN} "$RIG/said/hidden"; say "$PWD"; idle` } },
    });
    const first = await rig.create('first', 'x', ...PLAIN);
    const [hidden] = await rig.until('its pid', () => {
      const lines = rig.said('hidden');
      return lines.length > 0 && lines;
    });
    const pid = Number(hidden);
    try {
      await rig.must('task', 'cancel', first, '--yes');
      const set = await rig.waitForEvent(first, ({ type }) => type === 'workspace.quarantined');
      expect(set).toMatchObject({ workspace: 'shop--1' });
      expect(set['reason']).toContain(`Process ${pid} (`);
      expect(existsSync(`/proc/${pid}`)).toBe(true);
      await rig.create('second', 'x', ...PLAIN);
      await rig.until('a second agent', () => rig.said().length === 2);
      expect(rig.said()).toEqual([rig.workspace('shop--1'), rig.workspace('shop--2')]);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
    await rig.until('the end of the process', () => !existsSync(`/proc/${pid}/cwd`));
    await rig.must('doctor', '--fix', 'quarantined');
    await rig.until('the worktree to be free', () => rig.pool()['shop--1']?.status === 'available');
  });
});
