import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect, type Client } from '../../src/api/client.js';
import type { TaskRequest } from '../../src/domain/request.js';
import { createRig, type Rig } from './orange-rig.js';

const TASKS = 50;
const POOL_SIZE = 3;
// Well under a minute where nothing else runs; a busy machine may take its time.
const LIMIT_MS = 400_000;

// The branch says what a task leaves behind and how it goes.
const WORKER = `
mkdir -p cache; echo "$ORANGE_TASK_ID" > cache/last
case $ORANGE_BRANCH in *-commit) work committed ;; esac
echo "$ORANGE_TASK_ID" > left.txt; git add left.txt; echo more > more.txt
say "$ORANGE_TASK_ID"
case $ORANGE_BRANCH in *-crash) exit 3 ;; esac
idle
`;

it(
  'F50 F40 fifty tasks go through a pool of three, crashing and cancelled as they come, and leave three clean worktrees',
  async () => {
    await using rig = await createRig({
      agents: { plain: { worker: WORKER } },
      poolSize: POOL_SIZE,
      policy: { crash_limit: 1 },
    });
    await rig.must('daemon', 'start');
    const client = await talkTo(rig);
    const random = randomFrom(20_261_117);
    const branches = Array.from(
      { length: TASKS },
      (_, number) => `t${number}-${pick(random, ['stay', 'crash', 'commit'])}`,
    );
    const ids = await Promise.all(branches.map((branch) => submit(client, creation(branch))));
    await cancelAll(rig, client, { ids, random });
    client.close();

    expect(ids.map((id) => rig.field(id, 'status'))).toEqual(ids.map(() => 'cancelled'));
    expect(ids.map((id) => rig.field(id, 'workspace'))).toEqual(ids.map(() => 'null'));
    const names = Array.from({ length: POOL_SIZE }, (_, index) => `shop--${index + 1}`);
    await rig.until('every worktree is free', () =>
      names.every((name) => rig.pool()[name]?.status === 'available'),
    );
    expect(Object.keys(rig.pool()).toSorted()).toEqual(names);
    expect(readdirSync(join(rig.home, 'workspaces')).toSorted()).toEqual(['.pool.json', ...names]);
    for (const name of names) checkIdle(rig, name);
    expect(rig.sessions()).toEqual([]);
    expect(launchFolders(rig, ids)).toEqual([]);
    checkRefs(rig, ids);
  },
  LIMIT_MS,
);

async function talkTo(rig: Rig): Promise<Client> {
  const socketPath = join(rig.home, 'run', 'daemon.sock');
  const client = await connect({ socketPath, timeoutMs: 120_000 });
  if (!client.ok) throw new Error(JSON.stringify(client.failure));
  return client.value;
}

async function submit(client: Client, request: TaskRequest): Promise<string> {
  const answer = await client.call({ method: 'submit', request, actor: 'human' });
  if (!answer.ok) throw new Error(JSON.stringify(answer.failure));
  return answer.value.task?.fields.id ?? '';
}

function creation(branch: string): TaskRequest {
  return {
    kind: 'task.create',
    project: 'shop',
    branch,
    summary: 'Take part',
    harness: 'plain',
    reviewHarness: 'plain',
    context: null,
    status: 'pending',
    extensions: {},
  };
}

/**
 * Cancels tasks soon after they have begun, in random order and without waiting for each other; the
 * free places go to the next ones meanwhile.
 */
async function cancelAll(
  rig: Rig,
  client: Client,
  { ids, random }: { readonly ids: readonly string[]; readonly random: () => number },
): Promise<void> {
  const left = new Set(ids);
  const cancels: Promise<string>[] = [];
  while (left.size > 0) {
    const begun = await rig.until('a task that has begun', () => {
      const said = new Set(rig.said());
      const all = [...left].filter((id) => said.has(id) && rig.field(id, 'workspace') !== 'null');
      return all.length > 0 && all;
    });
    const chosen = begun.filter(() => random() < 0.7);
    for (const taskId of chosen.length === 0 ? [pick(random, begun)] : chosen) {
      cancels.push(submit(client, { kind: 'task.cancel', taskId, reason: null }));
      left.delete(taskId);
    }
  }
  await Promise.all(cancels);
}

function checkIdle(rig: Rig, name: string): void {
  const tree = rig.workspace(name);
  expect(rig.git(tree, 'status', '--porcelain')).toBe('');
  expect(rig.git(tree, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
  expect(rig.git(tree, 'rev-parse', 'HEAD')).toBe(rig.git(rig.repository, 'rev-parse', 'main'));
  expect(readdirSync(tree).toSorted()).toEqual(['.git', '.gitignore', 'README.md', 'cache']);
}

function launchFolders(rig: Rig, ids: readonly string[]): readonly string[] {
  return ids.filter((id) => existsSync(join(rig.home, 'run', id)));
}

/** Every ref belongs to a task, and what each task left is under its own. */
function checkRefs(rig: Rig, ids: readonly string[]): void {
  const refs = rig
    .git(rig.repository, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/orange')
    .split('\n');
  const branches = ids.map((id) => `refs/heads/${rig.field(id, 'branch')}`);
  const salvaged = refs.filter((ref) => ref.startsWith('refs/orange/salvage/'));
  expect(refs.filter((ref) => !salvaged.includes(ref)).toSorted()).toEqual(
    ['refs/heads/main', ...branches].toSorted(),
  );
  expect([...new Set(salvaged.map((ref) => ref.split('/')[3] ?? ''))].toSorted()).toEqual(
    ids.toSorted(),
  );
  for (const id of ids) {
    const left = rig.git(rig.repository, 'show', `refs/orange/salvage/${id}/1:left.txt`);
    expect(left).toBe(id);
    const text = readFileSync(rig.taskFile(id), 'utf8');
    expect(text).toContain(`id: ${id}\n`);
  }
  const listed = rig.git(rig.repository, 'worktree', 'list', '--porcelain');
  expect(listed.match(/^worktree /gm)).toHaveLength(POOL_SIZE + 1);
}

function pick<T>(random: () => number, from: readonly T[]): T {
  const chosen = from[Math.floor(random() * from.length)];
  if (chosen === undefined) throw new Error('nothing to pick from');
  return chosen;
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
