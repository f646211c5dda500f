import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHome } from '../../src/cli/read-home.js';
import type { TaskFields } from '../../src/domain/task.js';
import { createTaskStore } from '../../src/record/task-store.js';
import { sampleTask } from '../record/sample-task.js';
import { temporaryHome, type TemporaryHome } from '../record/temporary-home.js';
import { must } from '../rigs/must.js';

function addTask(
  home: TemporaryHome,
  fields: Partial<TaskFields>,
  rest: { extensions?: Readonly<Record<string, string>>; events?: readonly object[] } = {},
): void {
  const record = { ...sampleTask(fields), extensions: rest.extensions ?? {} };
  const lines = (rest.events ?? []).map((event) => JSON.stringify(event));
  must(createTaskStore(home).create(record, lines));
}

describe('readHome', () => {
  it('a home that does not exist is empty, and stays so', async () => {
    using home = temporaryHome();
    must(home.files.removeTree(home.paths.home));
    expect(await readHome(home)).toEqual({
      ok: true,
      value: { tasks: [], projects: [], workspaces: [], problems: [] },
    });
    expect(home.files.stat(home.paths.home)).toMatchObject({ value: { kind: 'absent' } });
  });

  it('shows tasks as the daemon would', async () => {
    using home = temporaryHome();
    addTask(home, { id: 'aaaa1' }, { extensions: { hold: 'not spawned', blocked_by: 'bbbb1' } });
    addTask(
      home,
      {
        id: 'bbbb1',
        branch: 'b',
        status: 'working',
        workspace: 'orange--1',
        tmux_session: 'orange/b',
      },
      {
        events: [
          {
            type: 'status.changed',
            timestamp: '2026-02-01T00:00:00Z',
            from: 'planning',
            to: 'working',
          },
          { type: 'task.updated', timestamp: '2026-02-02T00:00:00Z' },
        ],
      },
    );
    const { tasks } = must(await readHome(home));
    expect(tasks.map((task) => [task.fields.id, task.session, task.status_since])).toEqual([
      ['aaaa1', 'inactive', '2026-01-31T09:30:00Z'],
      ['bbbb1', 'crashed', '2026-02-01T00:00:00Z'],
    ]);
    expect(tasks[0]?.reasons.map((reason) => reason.code)).toEqual(['held', 'blocked']);
    expect(tasks[1]?.actions).toContain('respawn');
  });

  it('tells how risky a merge was found, until the task has moved on', async () => {
    using home = temporaryHome();
    const timestamp = '2026-02-01T00:00:00Z';
    const facts = { files: 1, lines: 2, conflicts: 1, conflicting: ['a.ts'], behind: 0, head: 'h' };
    const found = { ready: false, risk: 'Low', action: 'resolve-conflicts', ...facts };
    const finalized = { type: 'task.finalized', timestamp, ...found };
    const move = { type: 'status.changed', timestamp, from: 'working', to: 'reviewing' };
    const odd = { ...finalized, risk: 'Odd' };
    for (const [id, events] of [
      ['aaaa1', [move, finalized, { type: 'task.updated', timestamp }]],
      ['bbbb1', [finalized, move]],
      ['cccc1', [move, odd]],
    ] as const) {
      addTask(home, { id, branch: id, status: 'reviewing' }, { events });
    }
    const { tasks } = must(await readHome(home));
    expect(tasks.map((task) => task.finalized)).toEqual([found, undefined, undefined]);
  });

  it('gives a waiting task the codes that the daemon would, a cycle included', async () => {
    using home = temporaryHome();
    addTask(home, { id: 'aaaa1', branch: 'a' }, { extensions: { blocked_by: 'bbbb1' } });
    addTask(home, { id: 'bbbb1', branch: 'b' }, { extensions: { blocked_by: 'aaaa1' } });
    addTask(home, { id: 'cccc1', branch: 'c' }, { extensions: { blocked_by: 'aaaa1' } });
    addTask(home, { id: 'dddd1', branch: 'd', status: 'cancelled' });
    addTask(home, { id: 'eeee1', branch: 'e' }, { extensions: { blocked_by: 'dddd1' } });
    const { tasks } = must(await readHome(home));
    expect(tasks.map((task) => task.reasons.map(({ code }) => code))).toEqual([
      ['cycle'],
      ['cycle'],
      ['blocked'],
      [],
      ['dead-end'],
    ]);
  });

  it('derives the worktrees from the tasks and the pool', async () => {
    using home = temporaryHome();
    const project = { name: 'orange', path: '/repos/orange', default_branch: 'main', pool_size: 2 };
    must(home.files.replace(home.paths.projectsFile, JSON.stringify([project])));
    must(home.files.makeDirectory(home.paths.workspacesDir));
    const pool = {
      workspaces: { 'orange--1': { status: 'available' }, 'orange--2': { status: 'available' } },
    };
    must(home.files.replace(home.paths.poolFile, JSON.stringify(pool)));
    addTask(home, {
      id: 'aaaa1',
      status: 'working',
      workspace: 'orange--2',
      tmux_session: 'orange/x',
    });
    const { workspaces, projects } = must(await readHome(home));
    expect(projects).toEqual([{ ...project, trusted: 'none-needed' }]);
    expect(workspaces).toMatchObject([
      { workspace: 'orange--1', status: 'available', task: null, slot: 1 },
      { workspace: 'orange--2', status: 'bound', task: 'orange/dark-mode', task_id: 'aaaa1' },
    ]);
  });

  it('reports damaged files and hides nothing behind them', async () => {
    using home = temporaryHome();
    addTask(home, { id: 'aaaa1' });
    addTask(home, { id: 'bbbb1' });
    const broken = home.paths.taskFile('orange', 'bbbb1');
    must(home.files.replace(broken, 'no frontmatter'));
    must(home.files.replace(home.paths.projectsFile, '{'));
    must(home.files.replace(home.paths.configFile, 'harness_ordre: [claude]\n'));
    const { tasks, problems } = must(await readHome(home));
    expect(tasks.map((task) => task.fields.id)).toEqual(['aaaa1']);
    expect(problems.map((problem) => problem.file)).toEqual([
      home.paths.projectsFile,
      home.paths.configFile,
      broken,
    ]);
  });

  it('a worktree name that leads out of the pool is nobody’s', async () => {
    using home = temporaryHome();
    addTask(home, { id: 'aaaa1', status: 'working' });
    const file = home.paths.taskFile('orange', 'aaaa1');
    const text = must(home.files.readText(file, 10_000)).text;
    must(home.files.replace(file, text.replace('workspace: null', 'workspace: ../../etc')));
    expect(must(await readHome(home)).workspaces).toEqual([]);
  });

  it('says whether the settings of a repository are trusted', async () => {
    using home = temporaryHome();
    const repository = join(home.paths.home, 'repo');
    must(home.files.makeDirectory(repository));
    must(home.files.replace(join(repository, 'orange.yaml'), 'pool: { setup: [make] }\n'));
    const row = { name: 'r', path: repository, default_branch: 'main', pool_size: 1 };
    must(home.files.replace(home.paths.projectsFile, JSON.stringify([row])));
    expect(must(await readHome(home)).projects[0]?.trusted).toBe('untrusted');
    const changed = [{ ...row, trusted: '0'.repeat(64) }];
    must(home.files.replace(home.paths.projectsFile, JSON.stringify(changed)));
    expect(must(await readHome(home)).projects[0]?.trusted).toBe('changed');
  });
});
