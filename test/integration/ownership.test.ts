import { appendFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const AS_WORKER = { ORANGE_ROLE: 'worker' };
const PLANNING = { agents: { plain: { worker: 'idle' } } };

type Refusal = { error: { code: string; message: string; hint: string | null } };

describe('what an agent may not do', () => {
  it('asking for a move without what it needs is refused with a reason', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('asks', 'x', ...PLAIN);
    for (const status of ['done', 'cancelled', 'reviewing', 'working', 'agent-review', 'pending']) {
      const ask = ['task', 'update', id, '--status', status];
      const asked = await rig.run([...ask, '--json'], { env: AS_WORKER });
      const { error } = asked.json<Refusal>();
      expect([status, asked.code, error.code]).toEqual([status, 1, 'move-refused']);
      expect(error.message.length).toBeGreaterThan(20);
      expect(error.hint).not.toBeNull();
      const plain = await rig.run(ask, { env: AS_WORKER });
      expect([plain.code, plain.stdout]).toEqual([1, '']);
      expect(plain.stderr).toContain(status);
    }
    expect(rig.field(id, 'status')).toBe('planning');
    expect(movesTo(rig, id)).toEqual(['planning']);
  });

  it('merging, cancelling, deleting, restarting and choosing the harness are for people', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('asks', 'x', ...PLAIN);
    const held = await rig.create('held', 'x', ...PLAIN, '--no-spawn');
    const asks = [
      ['merge', id, '--yes'],
      ['cancel', id, '--yes'],
      ['delete', held, '--yes'],
      ['respawn', id],
      ['update', id, '--harness', 'plain'],
      ['update', id, '--hold', 'x'],
    ];
    for (const ask of asks) {
      const asked = await rig.run(['task', ...ask, '--json'], { env: AS_WORKER });
      const what = ask.join(' ');
      const { code } = asked.json<Refusal>().error;
      expect([what, asked.code, code]).toEqual([what, 1, 'not-for-agents']);
    }
    expect(rig.field(id, 'status')).toBe('planning');
    expect(rig.sessions()).toEqual(['shop/asks']);
  });

  it('F34 a status written into the file is put back with an event', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('edits', 'x', ...PLAIN);
    edit(rig, id, (text) => text.replace('status: planning', 'status: done'));
    const event = await rig.waitForEvent(id, ({ type }) => type === 'frontmatter.rejected');
    expect(event).toMatchObject({ field: 'status', value: 'done' });
    expect(String(event['reason'])).not.toBe('');
    expect(rig.field(id, 'status')).toBe('planning');
    expect(movesTo(rig, id)).toEqual(['planning']);
  });

  it('F34 an id and a project are put back like all else that was written with them', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('renames', 'x', ...PLAIN);
    const rename = (text: string): string =>
      text
        .replace(`id: ${id}`, 'id: not a name')
        .replace('project: shop', 'project: other')
        .replace('crash_count: 0', 'crash_count: 7');
    edit(rig, id, (text) => `${rename(text)}\n## Plan\n\nAPPROACH: go on\n`);
    await rig.waitForStatus(id, 'working');
    expect(rejected(rig, id)).toEqual(['crash_count', 'id', 'project']);
    const now = ['id', 'project', 'crash_count'].map((name) => rig.field(id, name));
    expect(now).toEqual([id, 'shop', '0']);
    await rig.must('daemon', 'stop');
    edit(rig, id, rename);
    await rig.must('daemon', 'start');
    await rig.until('it to be put back', () => rejected(rig, id).length === 6);
    expect([rig.field(id, 'id'), rig.field(id, 'status')]).toEqual([id, 'working']);
  });

  it('F34 the file of another task copied over a live one moves nothing, with and without a daemon', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('mine', 'Mine', ...PLAIN);
    const other = await rig.create('other', 'Theirs', ...PLAIN);
    edit(rig, other, (text) => `${text}\n## Plan\n\nAPPROACH: theirs\n`);
    await rig.waitForStatus(other, 'working');
    const copy = (): void => edit(rig, id, () => rig.read(rig.taskFile(other)));
    const isPutBack = (): boolean =>
      rig.field(id, 'id') === id && !rig.read(rig.taskFile(id)).includes('APPROACH: theirs');
    copy();
    await rig.until('it to be put back', isPutBack);
    expect(rig.field(id, 'summary')).toBe('Mine');
    await rig.must('daemon', 'stop');
    copy();
    await rig.must('daemon', 'start');
    await rig.until('it to be put back', isPutBack);
    const kept = rig.history(id).filter(({ type }) => type === 'edit.kept');
    expect(kept).toHaveLength(2);
    const texts = kept.map(({ transcript }) =>
      rig.read(join(dirname(rig.taskFile(id)), 'transcripts', String(transcript))),
    );
    expect(texts).toEqual([
      expect.stringContaining('APPROACH: theirs'),
      expect.stringContaining('APPROACH: theirs'),
    ]);
    edit(rig, id, (text) => `${text}\n## Plan\n\nAPPROACH: mine\n`);
    await rig.waitForStatus(id, 'working');
    expect(movesTo(rig, id)).toEqual(['planning', 'working']);
    expect(rig.read(rig.taskFile(id))).toContain('APPROACH: mine');
  });

  it('F34 what is edited while no daemon runs is put back at the next start, with events', async () => {
    await using rig = await createRig({ ...PLANNING, poolSize: 1 });
    const id = await rig.create('first', 'x', ...PLAIN);
    const waiting = await rig.create('waits', 'x', ...PLAIN);
    const over = await rig.create('over', 'x', ...PLAIN);
    await rig.must('daemon', 'stop');
    edit(rig, id, (text) =>
      text
        .replace('review_round: 0', 'review_round: 9')
        .replace('crash_count: 0', 'crash_count: 50'),
    );
    edit(rig, waiting, (text) => text.replace('workspace: null', 'workspace: shop--1'));
    edit(rig, over, (text) => text.replace('status: pending', 'status: done'));
    await rig.must('daemon', 'start');
    const isBack = (task: string, count: number): boolean => rejected(rig, task).length === count;
    await rig.until('all to be put back', () => isBack(id, 2) && isBack(waiting, 1));
    await rig.until('the status to be put back', () => isBack(over, 1));
    expect(rejected(rig, id)).toEqual(['crash_count', 'review_round']);
    expect([rig.field(id, 'crash_count'), rig.field(id, 'review_round')]).toEqual(['0', '0']);
    expect([rejected(rig, waiting), rig.field(waiting, 'workspace')]).toEqual([
      ['workspace'],
      'null',
    ]);
    expect([rejected(rig, over), rig.field(over, 'status')]).toEqual([['status'], 'pending']);
    expect(rig.pool()).toMatchObject({ 'shop--1': { task_id: id } });
  });

  it.each(['9999-12-31T23:59:59.999Z', '2099-01-01T00:00:00Z'])(
    'F34 the updated_at %s that was written while no daemon ran is not believed, and its task goes on',
    async (poison) => {
      await using rig = await createRig(PLANNING);
      const id = await rig.create('ahead', 'Before', ...PLAIN);
      await rig.must('daemon', 'stop');
      edit(rig, id, (text) => {
        const plan = '\n## Plan\n\nAPPROACH: go on\n';
        return `${text.replace(/^updated_at: .*$/m, `updated_at: ${poison}`)}${plan}`;
      });
      await rig.must('daemon', 'start');
      await rig.waitForStatus(id, 'working');
      await rig.must('task', 'update', id, '--priority', 'high');
      edit(rig, id, (text) =>
        text
          .replace(/^updated_at: .*$/m, `updated_at: ${new Date().toISOString()}`)
          .replace('summary: Before', 'summary: After')
          .replace('status: working', 'status: clarification'),
      );
      await rig.waitForStatus(id, 'clarification');
      expect([rig.field(id, 'summary'), rejected(rig, id)]).toEqual(['After', []]);
      const soon = new Date(Date.now() + 60_000).toISOString();
      const times = rig.history(id).map(({ timestamp }) => String(timestamp));
      expect([...times, String(rig.field(id, 'updated_at'))].filter((at) => at > soon)).toEqual([]);
    },
  );

  it('F34 a status that is none of the nine is put right or reported, never taken over', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('edits', 'x', ...PLAIN);
    edit(rig, id, (text) => text.replace('status: planning', 'status: shipped'));
    const validated = await rig.until('a finding', () => rig.field(id, 'status') === 'shipped');
    expect(validated).toBe(true);
    const found = await rig.orange('validate', id, '--json');
    expect(found.code).toBe(1);
    expect(movesTo(rig, id)).toEqual(['planning']);
    edit(rig, id, (text) => text.replace('status: shipped', 'status: planning'));
    appendFileSync(rig.taskFile(id), '\n## Plan\n\nAPPROACH: go on\n');
    await rig.waitForStatus(id, 'working');
  });

  it('ORA-37 what the engine and the system own is put back, what the agent owns is kept', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('owned', 'Before', '--context', 'Do it well.', ...PLAIN);
    const created = rig.field(id, 'created_at');
    const body = '\n## Notes\n\nkeep   these bytes\t\r\nas they are\n\n\n```\n## Plan\n```\n';
    edit(
      rig,
      id,
      (text) =>
        `${text
          .replace('review_round: 0', 'review_round: 7')
          .replace('crash_count: 0', 'crash_count: 9')
          .replace('workspace: shop--1', 'workspace: shop--9')
          .replace('tmux_session: shop/owned', 'tmux_session: null')
          .replace(/^created_at: .*$/m, 'created_at: 2001-01-01T00:00:00Z')
          .replace('harness: plain', 'harness: demo')
          .replace('branch: owned', 'branch: other')
          .replace('summary: Before', 'summary: After\nmood: [good, "very good"] # kept')
          .replace('Do it well.', 'Do it badly.')}${body}`,
    );
    await rig.waitForEvent(id, ({ type }) => type === 'context.restored');
    expect(rejected(rig, id)).toEqual([
      'branch',
      'crash_count',
      'created_at',
      'harness',
      'review_round',
      'tmux_session',
      'workspace',
    ]);
    const values = [
      'review_round',
      'crash_count',
      'workspace',
      'tmux_session',
      'harness',
      'branch',
    ];
    expect(values.map((name) => rig.field(id, name))).toEqual([
      '0',
      '0',
      'shop--1',
      'shop/owned',
      'plain',
      'owned',
    ]);
    expect(rig.field(id, 'created_at')).toBe(created);
    expect(rig.field(id, 'summary')).toBe('After');
    const text = rig.read(rig.taskFile(id));
    expect(text).toContain('mood: [good, "very good"] # kept\n');
    expect(text).toContain('## Context\n\nDo it well.\n');
    expect(text.endsWith(body)).toBe(true);
    expect(rig.sessions()).toEqual(['shop/owned']);
  });
});

describe('what an agent finds put back', () => {
  it('F34 the Context, with what it wrote under it kept, told to it once and to a person', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('edits', 'x', '--context', 'Do it well.', ...PLAIN);
    const plan = '\n### Plan\nAPPROACH: long thought\nTOUCHING: a.txt\n';
    edit(rig, id, (text) => text + plan);
    const { transcript } = await rig.waitForEvent(id, ({ type }) => type === 'context.restored');
    const kept = rig.read(join(dirname(rig.taskFile(id)), 'transcripts', String(transcript)));
    expect(kept).toContain('APPROACH: long thought');
    expect(rig.read(rig.taskFile(id))).not.toContain('long thought');
    const inbox = await rig.must('inbox', '--json');
    expect(inbox.json<unknown[]>()).toMatchObject([{ code: 'edit-kept', task: 'shop/edits' }]);
    await rig.until('the word to the agent', () => told(rig, 'write "## Plan" and not "### Plan"'));
    edit(rig, id, (text) => text + plan);
    const restored = (): readonly unknown[] =>
      rig.history(id).filter(({ type }) => type === 'context.restored');
    await rig.until('it to be put back again', () => restored().length === 2);
    expect(rig.history(id).filter(({ type }) => type === 'edit.kept')).toHaveLength(1);
    edit(rig, id, (text) => `${text}\n## Plan\n\nAPPROACH: go on\n`);
    await rig.waitForStatus(id, 'working');
  });

  it('F34 a status it may not ask for, told with the reason and what to do', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('edits', 'x', ...PLAIN);
    edit(rig, id, (text) => text.replace('status: planning', 'status: done'));
    await rig.until('the word to the agent', () => told(rig, 'only a person may ask'));
    expect(told(rig, 'orange task ask')).toBe(true);
    expect(rig.field(id, 'status')).toBe('planning');
  });
});

describe('what an agent may do', () => {
  it('asking in the file for a move that is open to it is enough', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('asks', 'x', ...PLAIN);
    edit(rig, id, (text) => text.replace('status: planning', 'status: clarification'));
    await rig.waitForStatus(id, 'clarification');
    expect(rig.history(id).at(-1)).toMatchObject({
      type: 'status.changed',
      from: 'planning',
      to: 'clarification',
    });
    expect(rig.history(id).filter(({ type }) => type === 'frontmatter.rejected')).toEqual([]);
    const back = await rig.must('task', 'update', id, '--status', 'planning', '--json');
    expect(back.json()).toMatchObject({ status: 'planning' });
    await rig.until('the word to the worker', () =>
      rig.tmux('capture-pane', '-p', '-J', '-t', '=shop/asks:worker').includes('now planning'),
    );
  });

  it('F34 asking in a copy is heard though orange has written something else meanwhile', async () => {
    await using rig = await createRig(PLANNING);
    const id = await rig.create('asks', 'Before', ...PLAIN);
    const copy = rig.read(rig.taskFile(id));
    const asking = copy.replace('status: planning', 'status: clarification');
    await rig.must('task', 'update', id, '--summary', 'After');
    edit(rig, id, () => `${asking}\n## Questions\n\n1. Which database?\n`);
    await rig.waitForStatus(id, 'clarification');
    expect([rig.field(id, 'summary'), rejected(rig, id)]).toEqual(['After', []]);
    const inbox = await rig.must('inbox', '--json');
    expect(inbox.json<unknown[]>()).toMatchObject([{ code: 'question', task: 'shop/asks' }]);
    await rig.must('task', 'answer', id, 'SQLite.');
    edit(rig, id, () => `${asking}\n## Notes\n\nmine\n`);
    await rig.until('the old wish to be refused', () => rejected(rig, id).length === 1);
    expect([rig.field(id, 'status'), rejected(rig, id)]).toEqual(['planning', ['status']]);
    expect(rig.read(rig.taskFile(id))).toContain('## Answers\n\n1. SQLite.\n');
  });

  it('asking on the command line from its own worktree needs no name and no settling', async () => {
    await using rig = await createRig({
      policy: { settle_ms: 60_000 },
      agents: {
        plain: {
          worker: `add Plan 'APPROACH: ask'
            orange task update --status working > "$RIG/said/plan" 2>&1; echo "$?" >> "$RIG/said/plan"
            work a; add Handoff 'DONE: a'
            orange task update --status agent-review > "$RIG/said/handoff" 2>&1; echo "$?" >> "$RIG/said/handoff"
            idle`,
          reviewer: `orange task review --pass -m 'Fine by me.' > "$RIG/said/review" 2>&1; echo "$?" >> "$RIG/said/review"; idle`,
        },
      },
    });
    const id = await rig.create('asks', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    expect([rig.said('plan').at(-1), rig.said('handoff').at(-1)]).toEqual(['0', '0']);
    expect(
      rig
        .history(id)
        .filter(({ type }) => type === 'status.changed')
        .map(({ to, by }) => [to, by]),
    ).toEqual([
      ['planning', undefined],
      ['working', 'agent'],
      ['agent-review', 'agent'],
      ['reviewing', 'agent'],
    ]);
    expect(rig.read(rig.taskFile(id))).toContain('Verdict: PASS\n\nFine by me.\n');
  });
});

function edit(rig: Rig, id: string, change: (text: string) => string): void {
  writeFileSync(rig.taskFile(id), change(rig.read(rig.taskFile(id))));
}

function told(rig: Rig, words: string): boolean {
  const screen = ['capture-pane', '-p', '-J', '-S', '-', '-t', '=shop/edits:worker'];
  return rig.tmux(...screen).includes(words);
}

function movesTo(rig: Rig, id: string): readonly unknown[] {
  const moves = rig
    .history(id)
    .filter(({ type }) => type === 'status.changed' || type === 'auto.advanced');
  return moves.map(({ to }) => to);
}

function rejected(rig: Rig, id: string): readonly string[] {
  const events = rig.history(id).filter(({ type }) => type === 'frontmatter.rejected');
  return events.map(({ field }) => String(field)).toSorted();
}
