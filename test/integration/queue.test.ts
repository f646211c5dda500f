import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from './orange-rig.js';

type Row = {
  readonly id: string;
  readonly eligible: boolean;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
};
type Codes = Readonly<Record<string, readonly string[]>>;

const DEADLINE_MS = 30_000;

/** Asks until the waiting tasks wait for exactly these reasons. */
async function waitForCodes(rig: Rig, wanted: Codes): Promise<ReadonlyMap<string, Row>> {
  const start = performance.now();
  for (;;) {
    const rows = (await rig.must('next', '--explain', '--json')).json<readonly Row[]>();
    const codes = Object.fromEntries(
      rows.map(({ id, reasons }) => [id, reasons.map(({ code }) => code)]),
    );
    const isThere = JSON.stringify(inOrder(codes)) === JSON.stringify(inOrder(wanted));
    if (!isThere && performance.now() - start < DEADLINE_MS) continue;
    expect(codes).toEqual(wanted);
    return new Map(rows.map((row) => [row.id, row]));
  }
}

function inOrder(codes: Codes): readonly unknown[] {
  return Object.entries(codes).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function setLimit(rig: Rig, limit: number | null): void {
  const file = join(rig.home, 'config.yaml');
  const settings: object = JSON.parse(rig.read(file));
  rig.write(file, JSON.stringify({ ...settings, queue: { max_active_tasks: limit } }));
}

describe('next --explain', () => {
  it('names a chain, a cycle, a cancelled blocker, a hold, a full pool and the global limit by code', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: 'idle' } },
      poolSize: 1,
      settings: { queue: { max_active_tasks: 1 } },
    });
    await rig.must('project', 'add', rig.makeRepository('depot'), '--name', 'depot');
    await rig.create('running');
    const createInDepot = async (...words: readonly string[]): Promise<string> => {
      const made = await rig.must('task', 'create', '--json', '--project', 'depot', ...words);
      return made.json<{ id: string }>().id;
    };
    const [other, gone, held, first] = await Promise.all([
      createInDepot('other'),
      rig.create('gone'),
      rig.create('held'),
      rig.create('first'),
    ]);
    const [second, stranded] = await Promise.all([
      rig.create('second', '--blocked-by', first),
      createInDepot('stranded', '--blocked-by', gone),
      rig.must('task', 'hold', held, '-m', 'not before Monday'),
    ]);
    const [third] = await Promise.all([
      rig.create('third', '--blocked-by', second),
      rig.must('task', 'cancel', gone, '--yes'),
    ]);
    const full = ['pool-full', 'global-limit'];
    const waiting = {
      [held]: ['held', ...full],
      [first]: full,
      [second]: ['blocked', ...full],
      [third]: ['blocked', ...full],
      [stranded]: ['dead-end', 'global-limit'],
      [other]: ['global-limit'],
    };
    const rows = await waitForCodes(rig, waiting);
    const messageOf = (id: string): string | undefined => rows.get(id)?.reasons[0]?.message;
    expect([...rows.values()].every(({ eligible }) => !eligible)).toBe(true);
    expect(messageOf(third)).toBe(
      `blocked by ${second} (pending), which waits for ${first} (pending)`,
    );
    expect(messageOf(stranded)).toBe(`blocked by ${gone}, which was cancelled`);
    expect(messageOf(held)).toBe('held: not before Monday');

    const refused = await rig.orange('task', 'block', first, third, '--json');
    expect([refused.code, refused.json()]).toMatchObject([
      1,
      { error: { code: 'blocking-cycle' } },
    ]);
    const byHand = rig
      .read(rig.taskFile(first))
      .replace(/\n---\n/, `\nblocked_by: [${third}]\n---\n`);
    rig.write(rig.taskFile(first), byHand);
    setLimit(rig, null);
    const circle = ['cycle', 'pool-full'];
    const inCycle = await waitForCodes(rig, {
      [held]: ['held', 'pool-full'],
      [first]: circle,
      [second]: circle,
      [third]: circle,
      [stranded]: ['dead-end'],
    });
    expect(inCycle.get(first)?.reasons[0]).toEqual({
      code: 'cycle',
      message: `waits for itself: ${[first, third, second, first].join(' → ')}`,
      settle: `orange task unblock shop/first ${third}`,
    });

    const [forced] = await Promise.all([
      rig.must('task', 'spawn', stranded, '--force', '--json'),
      rig.must('task', 'unblock', first),
    ]);
    expect(forced.json()).toMatchObject({ status: 'planning' });
    await waitForCodes(rig, {
      [held]: ['held', 'pool-full'],
      [first]: ['pool-full'],
      [second]: ['blocked', 'pool-full'],
      [third]: ['blocked', 'pool-full'],
    });
  });
});
