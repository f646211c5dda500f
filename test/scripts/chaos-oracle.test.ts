import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

type Event = { readonly type: string; readonly [fact: string]: unknown };
type Task = {
  readonly id: string;
  readonly fields: Record<string, string | null>;
  readonly events: readonly Event[];
  readonly history: string;
};
type Violation = { readonly key: string; readonly text: string };
type Agent = { readonly taskId: string; readonly role: string; readonly launch: string };
type Place = Record<string, unknown>;
type Oracle = {
  readonly checkHistory: (task: Task) => readonly Violation[];
  readonly checkAcknowledged: (ledger: object, tasks: readonly Task[]) => readonly Violation[];
  readonly checkSingleAgents: (agents: readonly Agent[]) => readonly Violation[];
  readonly checkAgentPlaces: (
    home: string,
    tasks: readonly Task[],
    agents: readonly (Agent & { readonly cwd: string; readonly pid: number })[],
  ) => readonly Violation[];
  readonly listAgents: (home: string) => readonly Agent[];
  readonly checkPool: (
    place: Place,
    home: object,
  ) => Promise<{ readonly problems: readonly Violation[]; readonly aside: readonly string[] }>;
  readonly checkWork: (place: Place) => Promise<readonly Violation[]>;
  readonly readHome: (home: string) => {
    readonly problems: readonly Violation[];
    readonly tasks: readonly Task[];
  };
  readonly checkForeign: (place: Place) => Promise<readonly Violation[]>;
  readonly checkSecrets: (place: Place) => Promise<readonly Violation[]>;
  readonly checkBounds: (
    place: Place,
    pid: number,
    limits?: object,
  ) => Promise<readonly Violation[]>;
  readonly checkLog: (place: Place) => readonly Violation[];
  readonly differences: (before: object, after: object) => readonly object[];
  readonly digest: (place: Place) => Promise<Record<string, string>>;
  readonly lasting: (
    earlier: readonly Violation[],
    later: readonly Violation[],
  ) => readonly Violation[];
};

const ID = 'V1StGXR8Z5jdHi6BmyT7q';
const AT = '2026-01-01T10:00:00.000Z';
const LATER = '2026-01-01T11:00:00.000Z';
const TASK = `tasks/shop/${ID}/TASK.md`;
const HISTORY = `tasks/shop/${ID}/history.jsonl`;
const WHOLE = `---
id: ${ID}
project: shop
branch: dark-mode
harness: claude
review_harness: claude
status: pending
review_round: 0
crash_count: 0
summary: "A: b"
workspace: null
tmux_session: null
pr_url: null
created_at: ${AT}
updated_at: ${AT}
---
`;
const folder = mkdtempSync(join(tmpdir(), 'oo-'));
const home = join(folder, 'home');
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function oracle(name: string): Promise<Oracle> {
  const url = new URL(`../../scripts/chaos/oracle/${name}.mjs`, import.meta.url);
  const loaded: Oracle = await import(url.href);
  return loaded;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const move = (from: string, to: string): Event => ({
  type: 'status.changed',
  from,
  to,
  timestamp: AT,
});
const CREATED: Event = { type: 'task.created', timestamp: AT };
const spawned = (timestamp: string): Event => ({ type: 'agent.spawned', launch: 'a', timestamp });

function task(status: string, events: readonly Event[], workspace: string | null = null): Task {
  const history = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  return { id: ID, fields: { status, workspace }, events, history };
}

const PLANNING = task('planning', [CREATED, move('pending', 'planning')], 'shop--1');

const listed = (...names: readonly string[]): Place => ({
  home,
  git: async () => names.map((name) => `worktree ${home}/workspaces/${name}\n`).join('\n'),
});

const memory = (kb: number) => ({ key: 'I9 memory', text: `I9 memory: ${kb} kB` });

const foreign = (now: string) => ({
  before: { stash: 'a' },
  look: async () => ({ stash: now }),
});

describe('the oracle of chaos', () => {
  it('I1 misses a move that a client was told of', async () => {
    const { checkAcknowledged } = await oracle('check-acknowledged');
    const ledger = (seen: readonly string[], answered: readonly string[]) => ({
      seen: new Map([[ID, seen]]),
      answered: new Map([[ID, new Set(answered)]]),
      deleted: new Set<string>(),
      mayBeDeleted: new Set<string>(),
    });
    expect(checkAcknowledged(ledger(['pending', 'planning'], ['planning']), [PLANNING])).toEqual(
      [],
    );
    expect(checkAcknowledged(ledger(['planning', 'working'], []), [PLANNING])).toHaveLength(1);
    expect(checkAcknowledged(ledger(['planning', 'pending'], []), [PLANNING])).toHaveLength(1);
    expect(checkAcknowledged(ledger([], ['cancelled']), [PLANNING])).toHaveLength(1);
    expect(checkAcknowledged(ledger(['pending'], []), [])).toHaveLength(1);
    const gone = {
      ...ledger(['pending'], []),
      mayBeDeleted: new Set([ID]),
      deleted: new Set([ID]),
    };
    expect(checkAcknowledged(gone, [])).toEqual([]);
    expect(checkAcknowledged(gone, [PLANNING])).toHaveLength(1);
  });

  it.each([
    [
      'a move that the table does not have',
      task('working', [CREATED, move('pending', 'working')]),
      'moves from pending to working',
    ],
    [
      'a move from elsewhere',
      task('working', [CREATED, move('planning', 'working')]),
      'moves from planning, but was pending',
    ],
    [
      'a way out of the end',
      task('working', [CREATED, move('pending', 'done'), move('done', 'working')]),
      'moves from done to working',
    ],
    [
      'a status without its move',
      task('working', [CREATED]),
      'TASK.md says working, the history pending',
    ],
    [
      'no beginning',
      task('planning', [move('pending', 'planning')]),
      'does not begin with task.created',
    ],
    ['a line that stands twice', task('pending', [CREATED, CREATED]), 'a line stands twice'],
    [
      'a launch that was recorded twice',
      task('pending', [CREATED, spawned(AT), spawned(LATER)]),
      'agent.spawned of a stands twice',
    ],
    [
      'a second merge',
      task('pending', [
        CREATED,
        { type: 'task.merged', timestamp: AT },
        { type: 'task.merged', timestamp: LATER },
      ]),
      'task.merged stands twice',
    ],
  ])('I2 sees %s', async (_what, broken, text) => {
    const { checkHistory } = await oracle('check-history');
    expect(checkHistory(PLANNING)).toEqual([]);
    expect(checkHistory(broken).map((each) => each.text)).toContainEqual(
      expect.stringContaining(text),
    );
  });

  it('I3 sees two agents of one role, one in a strange place, and one of a task that has none', async () => {
    const { checkSingleAgents, checkAgentPlaces, listAgents } = await oracle('check-processes');
    const agent = { taskId: ID, role: 'worker', launch: 'a', pid: 7, command: 'sh' };
    const reviewer = { ...agent, role: 'reviewer', launch: 'b' };
    expect(checkSingleAgents([agent, agent, reviewer])).toEqual([]);
    expect(checkSingleAgents([agent, { ...agent, launch: 'c' }])).toHaveLength(1);
    const inPlace = { ...agent, cwd: `${home}/workspaces/shop--1/src` };
    expect(checkAgentPlaces(home, [PLANNING], [inPlace])).toEqual([]);
    const strange = { ...agent, cwd: `${home}/workspaces/shop--2` };
    expect(checkAgentPlaces(home, [PLANNING], [strange])).toHaveLength(1);
    const over = task('done', [CREATED, move('pending', 'done')]);
    expect(checkAgentPlaces(home, [over], [inPlace])).toHaveLength(1);
    const waiting = task('pending', [CREATED]);
    expect(checkAgentPlaces(home, [waiting], [inPlace])).toHaveLength(1);
    expect(checkAgentPlaces(home, [], [inPlace])).toHaveLength(1);
    const elsewhere = { ...agent, cwd: '/' };
    expect(checkAgentPlaces(home, [PLANNING], [elsewhere])).toEqual([]);
    const child = spawn('sleep', ['60'], {
      env: { ORANGE_HOME: home, ORANGE_TASK_ID: ID, ORANGE_ROLE: 'worker', ORANGE_LAUNCH_ID: 'x' },
      stdio: 'ignore',
    });
    try {
      await expect.poll(() => listAgents(home).map(({ launch }) => launch)).toEqual(['x']);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('I4 sees every way in which pool, tasks, disk and git can differ', async () => {
    const { checkPool } = await oracle('check-pool');
    const bound = { status: 'bound', task_id: ID };
    const sound = { tasks: [PLANNING], pool: { 'shop--1': bound }, workspaces: ['shop--1'] };
    const broken = async (place: Place, change: object): Promise<number> =>
      (await checkPool(place, { ...sound, ...change })).problems.length;
    expect(await broken(listed('shop--1'), {})).toBe(0);
    expect(await broken(listed(), {})).toBe(1);
    expect(await broken(listed('shop--1', 'shop--2'), {})).toBe(1);
    expect(await broken(listed('shop--1'), { workspaces: [] })).toBe(2);
    expect(await broken(listed('shop--1'), { tasks: [] })).toBe(1);
    expect(await broken(listed('shop--1'), { pool: { 'shop--1': { status: 'available' } } })).toBe(
      2,
    );
    expect(await broken(listed('shop--1', 'shop--2\nprunable gone'), {})).toBe(0);
    const trial = async (where: string): Promise<number> =>
      broken({ home, git: async () => `worktree ${home}/workspaces/shop--1\n\n${where}` }, {});
    expect(await trial(`worktree ${home}/restored/shop-1`)).toBe(0);
    expect(await trial(`worktree ${folder}/mine`)).toBe(0);
    expect(await trial(`worktree ${home}/run/trials/${ID}`)).toBe(1);
    expect(await trial(`worktree ${home}/run/trials/${ID}\nprunable gone`)).toBe(1);
    const over = task('done', [CREATED, move('pending', 'done')], 'shop--1');
    expect(await broken(listed('shop--1'), { tasks: [over] })).toBe(1);
    const twice = { ...PLANNING, id: 'another' };
    expect(await broken(listed('shop--1'), { tasks: [PLANNING, twice] })).toBe(2);
    const aside = { tasks: [], pool: {}, workspaces: ['shop--1'] };
    expect(await checkPool(listed('shop--1'), aside)).toEqual({ problems: [], aside: ['shop--1'] });
  });

  it('I5 misses a content that is neither under a ref nor on disk', async () => {
    const { checkWork } = await oracle('check-work');
    const hello = 'ce013625030ba8dba906f756967f9e9ca394464a';
    put('chaos/blobs', `${hello} ${ID}\n`);
    mkdirSync(join(home, 'workspaces'), { recursive: true });
    const place = (kept: string): Place => ({
      home,
      chaos: join(folder, 'chaos'),
      git: async () => kept,
    });
    expect(await checkWork(place(''))).toHaveLength(1);
    expect(await checkWork(place(`${hello}\n`))).toEqual([]);
    put('home/workspaces/shop--1/a.txt', 'hello\n');
    expect(await checkWork(place(''))).toEqual([]);
  });

  it.each([
    ['a TASK.md that is cut off', TASK, '---\nid: x\n'],
    ['a TASK.md without a frontmatter', TASK, 'Hello.\n'],
    ['a TASK.md with another id', TASK, WHOLE.replace(ID, 'other')],
    ['a TASK.md with a field twice', TASK, WHOLE.replace('project: shop', 'id: x')],
    ['a TASK.md without a field', TASK, WHOLE.replace('branch: dark-mode\n', '')],
    ['that a TASK.md is gone', TASK, null],
    ['that a history is gone', HISTORY, null],
    ['a torn history', HISTORY, '{"type":"x","timestamp":"2026-01-01T10:00:00.000Z"}'],
    ['a line that is no event', HISTORY, '{"a":1}\n'],
    ['a broken pool', 'workspaces/.pool.json', '{'],
    ['a broken projects file', 'projects.json', ''],
    ['a broken intent', 'run/outbox/000000000001.json', 'x'],
  ])('I6 sees %s', async (_what, path, text) => {
    const { readHome } = await oracle('read-home');
    put(`home/${TASK}`, WHOLE);
    put(`home/${HISTORY}`, `${JSON.stringify(CREATED)}\n`);
    expect(readHome(home)).toMatchObject({
      problems: [],
      tasks: [{ fields: { status: 'pending' } }],
    });
    if (text === null) rmSync(join(home, path));
    else put(`home/${path}`, text);
    expect(readHome(home).problems).toHaveLength(1);
  });

  it('I7 sees a change of what is not orange’s', async () => {
    const { checkForeign } = await oracle('check-foreign');
    expect(await checkForeign({ foreign: foreign('a') })).toEqual([]);
    expect(await checkForeign({ foreign: foreign('b') })).toHaveLength(1);
  });

  it('I8 sees a canary that was run and a secret that was written down', async () => {
    const { checkSecrets } = await oracle('check-secrets');
    put('home/orange.log', 'all well\n');
    mkdirSync(join(folder, 'chaos'), { recursive: true });
    let shown = '';
    const tmux = async () => ({ stdout: shown });
    const place = { home, chaos: join(folder, 'chaos'), root: folder, secret: 'hush-hush', tmux };
    expect(await checkSecrets(place)).toEqual([]);
    const broken = async () => (await checkSecrets(place)).map(({ key }) => key);
    put('home/run/x.launch', 'export KEY=hush-hush\n');
    expect(await broken()).toEqual([`I8 ${home}/run/x.launch`]);
    rmSync(join(home, 'run/x.launch'));
    put('chaos/canary', '');
    expect(await broken()).toEqual(['I8 canary']);
    rmSync(join(folder, 'chaos/canary'));
    shown = 'KEY=hush-hush';
    expect(await broken()).toEqual(['I8 the environment of tmux']);
    shown = '';
    const child = spawn('sh', ['-c', 'sleep 60; :', '--key=hush-hush', `${folder}/x`], {
      stdio: 'ignore',
    });
    try {
      await expect.poll(() => broken()).toEqual(['I8 command lines']);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('I9 sees a daemon with too many files open, or too much memory', async () => {
    const { checkBounds } = await oracle('check-bounds');
    mkdirSync(home, { recursive: true });
    const broken = async (limits: object) =>
      (await checkBounds({ home }, process.pid, limits)).map(({ key }) => key);
    const wide = { files: 10_000, rssKb: 100_000_000 };
    expect(await broken(wide)).toEqual([]);
    expect(await broken({ ...wide, files: 3 })).toEqual(['I9 open files']);
    expect(await broken({ ...wide, rssKb: 1000 })).toEqual(['I9 memory']);
    const opened = Array.from({ length: 130 }, () => openSync('/dev/null', 'r'));
    try {
      expect((await checkBounds({ home }, process.pid)).map(({ key }) => key)).toContain(
        'I9 open files',
      );
    } finally {
      for (const file of opened) closeSync(file);
    }
  });

  it('I9 sees what a killed write has left', async () => {
    const { checkBounds } = await oracle('check-bounds');
    put('home/run/a', '');
    const before = (await checkBounds({ home }, process.pid)).length;
    put(`home/tasks/shop/${ID}/.TASK.md.0123456789ab.tmp`, '');
    expect(await checkBounds({ home }, process.pid)).toHaveLength(before + 1);
  });

  it.each([
    ['a TASK.md', TASK],
    ['a history', HISTORY],
    ['the pool', 'workspaces/.pool.json'],
    ['the projects', 'projects.json'],
    ['the outbox', 'run/outbox/000000000001.json'],
  ])('I10 sees that one more start has changed %s', async (_what, path) => {
    const { digest, differences } = await oracle('state-digest');
    put(`home/${TASK}`, WHOLE);
    put(`home/${HISTORY}`, '');
    const place = { home, git: async () => 'as it was' };
    const before = await digest(place);
    expect(differences(before, await digest(place))).toEqual([]);
    put(`home/${path}`, '{"changed":true}\n');
    expect(differences(before, await digest(place))).toHaveLength(1);
  });

  it('I10 sees that one more start has changed refs, worktrees and agents', async () => {
    const { digest, differences } = await oracle('state-digest');
    mkdirSync(home, { recursive: true });
    let changed = '';
    const place = { home, git: async (_at: string, what: string) => (what === changed ? '' : 'x') };
    const before = await digest(place);
    for (const what of ['for-each-ref', 'worktree']) {
      changed = what;
      expect(differences(before, await digest(place))).toHaveLength(1);
    }
    expect(differences(before, { ...before, agents: 'another' })).toHaveLength(1);
    expect(differences({ pool: 'a' }, { pool: 'b', refs: 'c' })).toHaveLength(2);
  });

  it('sees bugs that the daemon lived through', async () => {
    const { checkLog } = await oracle('check-log');
    put('home/orange.1.log', '{"event":"x"}\n');
    expect(checkLog({ home })).toEqual([]);
    put('home/orange.1.log', '{"event":"effect.merge-branch","bug":"TypeError"}\n{"event":"x"}\n');
    put('home/orange.2026-01-01.1.log', '{"event":"api.bug"}\n');
    expect(checkLog({ home })).toHaveLength(2);
  });

  it('knows a broken invariant again by what it is of, whatever is told of it', async () => {
    const { lasting } = await oracle('violation');
    const other = { key: 'I9 open files', text: 'I9 open files: 200' };
    expect(lasting([memory(400_000)], [memory(400_004), other])).toEqual([memory(400_004)]);
    expect(lasting([other], [])).toEqual([]);
  });
});
