import { describe, expect, it } from 'vitest';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { PullRequestWatch } from '../../src/daemon/pull-request-watch.js';
import type { Observation } from '../../src/domain/observation.js';
import type { PullRequest } from '../../src/domain/pull-request.js';
import { failed, success, type Result } from '../../src/domain/result.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import type { TaskState } from '../../src/domain/world.js';
import type { PullRequests, Repositories } from '../../src/ports.js';
import { buildTaskIn } from '../builders/task.js';
import { buildProject } from '../builders/world.js';

const URL = 'https://github.com/acme/shop/pull/';
const UNREACHABLE = { kind: 'github-unavailable', reason: 'unreachable', where: '' } as const;
const MINUTE = 60_000;

function pullRequest(number: number, state: PullRequest['state'] = 'open'): PullRequest {
  const url = `${URL}${number}`;
  return { url, state, head: 'c0ffee', mergeCommit: null, checks: 'none', remarks: [] };
}

function published(id: string, number: number, status: 'reviewing' | 'done' = 'reviewing') {
  return buildTaskIn(status, { fields: { id, pr_url: `${URL}${number}`, workspace: null } });
}

/** A watch over tasks of one project, a GitHub that answers as told, and a clock. */
function createRig(tasks: readonly TaskState[]) {
  const rig = {
    nowMs: 0,
    asked: [] as (readonly string[])[],
    seen: [] as Observation[],
    logged: [] as string[],
    hasCommits: false,
    answer: success([]) as Result<readonly PullRequest[]>,
  };
  const world = new LiveWorld();
  world.projects.set('shop', buildProject());
  world.settings.set('', DEFAULT_SETTINGS);
  for (const task of tasks) world.tasks.set(task.fields.id, task);
  const pullRequests: Partial<PullRequests> = {
    viewAll: async (urls) => {
      rig.asked.push(urls);
      return rig.answer;
    },
    hasCommitsBeyond: async () => success(rig.hasCommits),
  };
  const watch = new PullRequestWatch({
    world,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    pullRequests: pullRequests as PullRequests,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    repositories: {} as Repositories,
    clock: { nowMs: () => rig.nowMs, monotonicMs: () => rig.nowMs },
    log: { write: (record) => rig.logged.push(JSON.stringify(record)) },
    workspacePath: (name) => `/w/${name}`,
    see: (observation) => rig.seen.push(observation),
  });
  return { rig, watch };
}

describe('the watch over pull requests', () => {
  it('asks once for all unfinished tasks of a project, and again only after some minutes', async () => {
    const tasks = [published('a', 1), published('b', 2), published('c', 3, 'done')];
    const { rig, watch } = createRig(tasks);
    rig.answer = success([pullRequest(1), pullRequest(2, 'closed')]);
    rig.hasCommits = true;
    await watch.ask();
    expect(rig.asked).toEqual([[`${URL}1`, `${URL}2`]]);
    expect(rig.seen).toMatchObject([
      { kind: 'pull-request-seen', taskId: 'a', askedBy: 'daemon', hasNewerWork: false },
      { kind: 'pull-request-seen', taskId: 'b', hasNewerWork: true },
    ]);
    rig.nowMs = 5 * MINUTE - 1;
    await watch.ask();
    expect(rig.asked).toHaveLength(1);
    rig.nowMs = 5 * MINUTE;
    await watch.ask();
    expect(rig.asked).toHaveLength(2);
  });

  it('asks ever more rarely while GitHub does not answer, and says so once', async () => {
    const { rig, watch } = createRig([published('a', 1)]);
    rig.answer = failed(UNREACHABLE);
    const asked: number[] = [];
    for (rig.nowMs = 0; rig.nowMs <= 200 * MINUTE; rig.nowMs += MINUTE) {
      const before = rig.asked.length;
      await watch.ask();
      if (rig.asked.length > before) asked.push(rig.nowMs / MINUTE);
    }
    expect(asked).toEqual([0, 10, 30, 70, 130, 190]);
    expect(rig.logged.filter((line) => line.includes('"warn"'))).toHaveLength(1);
    expect(rig.seen).toEqual([]);
  });

  it('asks nothing when no task has a pull request, or once it is closed', async () => {
    const none = createRig([buildTaskIn('working')]);
    await none.watch.ask();
    expect(none.rig.asked).toEqual([]);
    const over = createRig([published('a', 1)]);
    over.watch.close();
    await over.watch.ask();
    expect(over.rig.asked).toEqual([]);
  });
});
