import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PASSING_REVIEWER, STEADY_WORKER } from './agent-prelude.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const WORKER = STEADY_WORKER.replace('work done', 'work "$ORANGE_TASK_ID"');
const AGENTS = { plain: { worker: WORKER, reviewer: PASSING_REVIEWER } };

const ALLOWED = [
  'feat/ä',
  '$(touch${IFS}pwn)',
  'x#(touch${IFS}pwn)',
  "it's-a;branch",
  '`touch${IFS}pwn`',
  '1e3',
];
const REFUSED = [
  '-x',
  'a b',
  'x.y:z',
  '$(touch pwn)',
  '#(touch pwn)',
  'a..b',
  '',
  '@',
  'x.lock',
  '/x',
  'x/',
  'a\nb',
  'HEAD',
  '--upload-pack=touch pwn',
];

type Refusal = { error: { code: string; message: string; hint: string | null } };

describe('a branch with a strange name', () => {
  it('F67 goes all the way when git allows it', async () => {
    await using rig = await createRig({ agents: AGENTS, poolSize: ALLOWED.length });
    const ids = new Map<string, string>();
    for (const branch of ALLOWED) {
      const made = await rig.must(
        'task',
        'create',
        ...PLAIN,
        '--json',
        '--',
        branch,
        'A strange one',
      );
      const task = made.json<{ id: string; branch: string }>();
      expect(task.branch).toBe(branch);
      ids.set(branch, task.id);
    }
    expect(rig.sessions()).toHaveLength(ALLOWED.length);
    for (const [branch, id] of ids) {
      await rig.waitForStatus(id, 'reviewing');
      const place = rig.field(id, 'workspace') ?? '';
      expect(rig.git(rig.workspace(place), 'symbolic-ref', '--short', 'HEAD')).toBe(branch);
      expect(rig.pool()[place]).toMatchObject({ status: 'bound', task: `shop/${branch}` });
      const shown = await rig.must('task', 'show', `shop/${branch}`, '--json');
      expect(shown.json()).toMatchObject({ id, branch });
      expect((await rig.must('task', 'diff', id, '--full')).stdout).toContain(`+${id}`);
      await rig.must('task', 'merge', id, '--yes');
      expect(rig.git(rig.repository, 'show', `main:${id}.txt`)).toBe(id);
    }
    expect(rig.sessions()).toEqual([]);
    expect(canaries(rig)).toEqual([]);
  });

  it('is refused with a reason when git does not allow it, and leaves nothing behind', async () => {
    await using rig = await createRig({ agents: AGENTS });
    for (const branch of REFUSED) {
      const refused = await rig.orange('task', 'create', ...PLAIN, '--json', '--', branch, 'x');
      expect([branch, refused.code]).toEqual([branch, 2]);
      const { error } = refused.json<Refusal>();
      expect([branch, error.code]).toEqual([branch, 'branch-invalid']);
      expect(error.message).not.toBe('');
    }
    expect((await rig.must('task', 'list', '--all', '--json')).json()).toEqual([]);
    expect(rig.sessions()).toEqual([]);
    expect(rig.git(rig.repository, 'branch', '--format=%(refname:short)')).toBe('main');
    expect(canaries(rig)).toEqual([]);
  });

  it('F43 that is taken by a live task is refused, and is free again when that one is over', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    const first = await rig.create('same', 'x', ...PLAIN);
    const second = await rig.orange('task', 'create', 'same', 'y', ...PLAIN, '--json');
    expect(second.code).toBe(1);
    expect(second.json<Refusal>().error.code).toBe('branch-in-use');
    await rig.must('task', 'cancel', first, '--yes');
    await rig.create('same', 'y', ...PLAIN);
  });

  it('F57 in tmux keeps to itself: names that look alike are different sessions', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } }, poolSize: 3 });
    const ids = [
      await rig.create('a+b', 'x', ...PLAIN),
      await rig.create('a=b', 'x', ...PLAIN),
      await rig.create('a_b-2', 'x', ...PLAIN),
    ];
    const names = ids.map((id) => String(rig.field(id, 'tmux_session')));
    expect(new Set(names).size).toBe(3);
    expect(rig.sessions().toSorted()).toEqual(names.toSorted());
    await rig.must('task', 'cancel', ids[0] ?? '', '--yes');
    expect(rig.sessions().toSorted()).toEqual(names.slice(1).toSorted());
  });
});

describe('a summary with everything in it', () => {
  const SUMMARY = `Fix "quotes", 'single' and \`ticks\`; rm -rf $(touch pwn) #(touch pwn)\nsecond line: with: colons # and a hash\n- [x] \u001b]0;title\u0007\u001b[31mred\u001b[0m \u009b2J \u202eRTL`;

  it('is stored as one line, shown without control bytes and carried into the commit', async () => {
    await using rig = await createRig({ agents: AGENTS });
    const made = await rig.must(
      'task',
      'create',
      'loud',
      SUMMARY,
      ...PLAIN,
      '--context',
      `---\nstatus: done\n---\n${SUMMARY}`,
      '--json',
    );
    const { id, summary } = made.json<{ id: string; summary: string }>();
    expect(summary).toBe(SUMMARY);
    await rig.waitForStatus(id, 'reviewing');
    expect(
      rig
        .read(rig.taskFile(id))
        .split('\n')
        .filter((line) => line.startsWith('summary:')),
    ).toHaveLength(1);
    for (const args of [
      ['task', 'show', id],
      ['task', 'list'],
      ['ls'],
      ['task', 'log', id],
      ['next', '--explain'],
      ['log'],
      ['task', 'diff', id],
      ['validate'],
    ]) {
      const shown = await rig.orange(...args);
      expect(controls(shown.stdout + shown.stderr), args.join(' ')).toEqual([]);
    }
    const json = await rig.must('task', 'show', id, '--json');
    expect(controls(json.stdout)).toEqual([]);
    expect(json.json()).toMatchObject({ summary: SUMMARY });
    await rig.must('task', 'merge', id, '--yes');
    expect(rig.git(rig.repository, 'log', '-1', '--format=%s', 'main')).toContain('Fix "quotes"');
    expect(canaries(rig)).toEqual([]);
  });

  it('that ends in a semicolon or begins with a dash stays what it is', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    for (const [branch, summary] of [
      ['one', 'touch pwn;'],
      ['two', '--help'],
    ] as const) {
      const made = await rig.must('task', 'create', ...PLAIN, '--json', '--', branch, summary);
      expect(made.json()).toMatchObject({ summary, status: 'planning' });
    }
    expect(canaries(rig)).toEqual([]);
  });

  it('that is not allowed in a project’s name is refused', async () => {
    await using rig = await createRig();
    const repository = rig.makeRepository('other');
    for (const name of ['a/b', '..', '-x', 'a b', '$(touch pwn)', '.hidden', '']) {
      const refused = await rig.orange('project', 'add', repository, `--name=${name}`, '--json');
      expect(refused.code, name).toBeGreaterThan(0);
      expect(refused.code, name).toBeLessThan(70);
    }
    expect(canaries(rig)).toEqual([]);
  });
});

/** Files named `pwn` anywhere the product could have run something. */
function canaries(rig: Rig): readonly string[] {
  const workspaces = join(rig.home, 'workspaces');
  const worktrees = existsSync(workspaces) ? readdirSync(workspaces).filter(isVisible) : [];
  const places = [
    rig.root,
    rig.home,
    rig.repository,
    join(rig.home, 'run'),
    ...worktrees.map((name) => join(workspaces, name)),
  ];
  return places.filter(
    (place) => existsSync(place) && readdirSync(place).some((name) => name.startsWith('pwn')),
  );
}

/** Control and direction characters that must not reach a terminal. */
function controls(text: string): readonly string[] {
  const found = text.match(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu) ?? [];
  return found
    .filter((character) => character !== '\n' && character !== '\t')
    .map((character) => JSON.stringify(character));
}

function isVisible(name: string): boolean {
  return !name.startsWith('.');
}
