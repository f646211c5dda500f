import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Examination, MergeRequest } from '../../src/domain/merge-request.js';
import { success } from '../../src/domain/result.js';
import { finalize } from '../../src/execute/finalize.js';
import type { ProjectCommand } from '../../src/ports.js';
import { buildTaskIn, TASK_ID } from '../builders/task.js';
import { buildProject, buildSettings } from '../builders/world.js';
import { temporaryHome } from '../record/temporary-home.js';

const EXAMINED: Examination = {
  head: 'h',
  base: 'b',
  behind: 0,
  files: 6,
  lines: 20,
  conflicts: [],
  merged: [],
};

/** What finalizing needs, with checks of which the last one fails. */
function given({
  examined = EXAMINED,
  signal = new AbortController().signal,
}: {
  readonly examined?: Examination;
  readonly signal?: AbortSignal;
} = {}) {
  const home = temporaryHome();
  const asked: MergeRequest[] = [];
  const ran: ProjectCommand[] = [];
  const steps: (string | null)[] = [];
  const settings = buildSettings();
  const parts = {
    home: '/home/pat/orange',
    daemonEnv: { PATH: '/bin', ORANGE_ROLE: 'worker' },
    files: home.files,
    findTask: () => buildTaskIn('reviewing'),
    findProject: () => buildProject(),
    settingsFor: () => ({
      ...settings,
      merge: { ...settings.merge, strategy: 'rebase' as const },
      pool: { ...settings.pool, setup: ['set up'], copy: ['.env'] },
      policy: {
        ...settings.policy,
        checks: { handoff: ['other'], merge: ['good', 'bad'], timeoutMinutes: 1 },
      },
    }),
    testResultFile: (_project: string, _id: string, name: string) => join(home.paths.home, name),
    artifactFile: (_project: string, _id: string, name: string) => join(home.paths.home, name),
    workspacePath: (name: string) => `/workspaces/${name}`,
    trialPlace: () => ({ directory: '/trial', onLeft: () => undefined }),
    whileWanted: async <T>(_id: string, work: (signal: AbortSignal) => Promise<T>) => work(signal),
    tellStep: (_id: string, step: string | null) => void steps.push(step),
    commands: {
      run: async (command: ProjectCommand) => {
        ran.push(command);
        return success({ exitCode: command.line === 'bad' ? 2 : 0, durationMs: 5, tail: 'end' });
      },
    },
    repositories: {
      examine: async (request: MergeRequest) => {
        asked.push(request);
        const tried = await request.trial?.run('/trial');
        return tried?.ok === false ? tried : success(examined);
      },
    },
  };
  const end = (): void => home[Symbol.dispose]();
  return { home, parts, asked, ran, steps, [Symbol.dispose]: end };
}

it('finalizing tries the merge that would be made, set up as a worktree is, and tells of each command', async () => {
  using rig = given();
  const { home, parts, asked, ran, steps } = rig;
  const seen = await finalize(parts, { kind: 'finalize', taskId: TASK_ID });
  expect(asked).toMatchObject([
    { strategy: 'rebase', push: false, trial: { directory: '/trial', copy: ['.env'] } },
  ]);
  expect(ran.map(({ line, directory }) => `${line} in ${directory}`)).toEqual([
    'set up in /trial',
    'good in /trial',
    'bad in /trial',
  ]);
  expect(ran[0]?.env).toMatchObject({ ORANGE_CHECK: 'finalize', ORANGE_TASK_ID: TASK_ID });
  expect(ran[0]?.env).not.toHaveProperty('ORANGE_ROLE');
  const told = ['setting up (set up)', 'checking (good)', 'checking (bad)'];
  expect(steps).toEqual(told.flatMap((each) => [each, null]));
  expect(seen).toMatchObject({
    kind: 'finalized',
    finalization: { ready: false, risk: 'Medium', action: 'fix-checks' },
  });
  const report = readFileSync(join(home.paths.home, 'finalization-report.md'), 'utf8');
  expect(report).toMatch(/\*\*Overall\*\*.*\*\*Medium\*\*/);
});

it('finalizing counts all files in conflict and names the first fifty', async () => {
  const conflicts = Array.from({ length: 60 }, (_each, at) => ({
    file: `f${at}`,
    type: 'contents',
  }));
  using rig = given({ examined: { ...EXAMINED, conflicts } });
  const seen = await finalize(rig.parts, { kind: 'finalize', taskId: TASK_ID });
  const conflicting = conflicts.slice(0, 50).map(({ file }) => file);
  expect(seen).toMatchObject({ finalization: { conflicts: 60, conflicting } });
});

it('finalizing a task that is to be cancelled begins no check more, and finds out nothing', async () => {
  using rig = given({ signal: AbortSignal.abort() });
  const seen = await finalize(rig.parts, { kind: 'finalize', taskId: TASK_ID });
  expect(seen).toMatchObject({
    kind: 'finalize-failed',
    failure: { kind: 'checks-failed', check: { command: 'set up', result: 'stopped' } },
  });
  expect(rig.ran).toEqual([]);
});
