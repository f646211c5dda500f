import { cleanup } from 'ink-testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { describeNeed } from '../../src/domain/describe-need.js';
import { inboxOf } from '../../src/domain/inbox.js';
import { KEYS, openRig } from './dashboard-rig.js';
import { snapshotOf, taskView } from './task-views.js';

afterEach(cleanup);

const asking = taskView({
  fields: { id: 'q1', branch: 'login', status: 'clarification' },
  questions: [
    { number: 1, text: 'Which colour?' },
    { number: 3, text: 'How big?' },
  ],
  status_since: '2026-01-02T11:50:00Z',
});
const planning = taskView({ fields: { id: 'g1', branch: 'cart', status: 'planning' } });
const gated = {
  ...planning,
  actions: [...planning.actions, 'approve', 'reject'] as const,
  reasons: [describeNeed({ kind: 'plan-gate' }, planning.fields)],
};
const idle = taskView({ fields: { id: 'w1', branch: 'work' } });
const snapshot = snapshotOf([idle, gated, asking]);

describe('the inbox in the dashboard', () => {
  it('is a filter of what waits, oldest first, and its count stands in the header', async () => {
    const rig = await openRig({ snapshot });
    expect(rig.frame()).toContain('2 need you');
    await rig.type('i');
    const rows = rig.frame().split('\n').slice(2, 5);
    expect(rig.frame()).toContain('filter: inbox');
    expect(rows[0]).toContain('login');
    expect(rows[1]).toContain('cart');
    expect(rows.join('')).not.toContain('work');
    await rig.type('i');
    expect(rig.frame()).toContain('shop/work');
  });

  it('has the order and the ages of `orange inbox`, where a cause is younger than the status', async () => {
    const waits = { kind: 'waiting-for-human', reason: 'asks for permission' } as const;
    const { fields } = idle;
    const since = '2026-01-02T11:59:00Z';
    const recent = {
      ...idle,
      attention: { ...waits, since },
      reasons: [describeNeed(waits, fields, since)],
      status_since: '2026-01-02T10:00:00Z',
    };
    const late = snapshotOf([recent, gated, asking]);
    const rig = await openRig({ snapshot: late });
    await rig.type('i');
    const rows = rig.frame().split('\n').slice(2, 5);
    const names = inboxOf(late).map((item) => item.task?.slice('shop/'.length) ?? '');
    expect(names).toEqual(['login', 'cart', 'work']);
    expect(rows.map((row) => names.find((name) => row.includes(name)))).toEqual(names);
    expect(rows[2]).toMatch(/working +1m /);
  });

  it('leads back to the filter it was opened from, by its key and by Esc', async () => {
    const over = taskView({
      fields: { id: 'd1', branch: 'gone', status: 'done' },
      session: 'inactive',
    });
    const rig = await openRig({ snapshot: snapshotOf([asking, over]), showAll: true });
    expect(rig.frame()).toContain('filter: all');
    await rig.type('i');
    await rig.type('i');
    expect(rig.frame()).toContain('filter: all');
    await rig.type('i');
    await rig.type('Q');
    expect(rig.frame()).toContain('filter: queue');
    await rig.type(KEYS.esc);
    await rig.waitFor('filter: all');
  });

  it('tells in each row why the task waits', async () => {
    const rig = await openRig({ snapshot: snapshotOf([gated, asking]), columns: 80 });
    await rig.type('i');
    const rows = rig.frame().split('\n');
    expect(rows[1]).toContain('why it waits');
    expect(rows.find((row) => row.includes('cart'))).toContain('waits for a person to approve');
    expect(rows.find((row) => row.includes('login'))).toContain('the agent asks');
  });

  it('is named in the header also on a small screen', async () => {
    const rig = await openRig({ snapshot, columns: 44, rows: 12 });
    await rig.type('i');
    expect(rig.frame().split('\n')[0]).toContain('inbox');
  });

  it('A shows the questions and sends the answer that is typed', async () => {
    const rig = await openRig({ snapshot: snapshotOf([asking]) });
    await rig.type('A');
    expect(rig.frame()).toContain('shop/login asks');
    expect(rig.frame()).toContain('1. Which colour?');
    expect(rig.frame()).toContain('3. How big?');
    await rig.type(KEYS.enter);
    expect(rig.client.requests).toEqual([]);
    await rig.type('Blue, big.');
    expect(rig.frame()).toContain('answer: Blue, big.');
    await rig.type(KEYS.enter);
    await rig.waitFor('answered shop/login');
    expect(rig.client.requests).toEqual([
      { kind: 'task.answer', taskId: 'q1', question: null, text: 'Blue, big.' },
    ]);
  });

  it('offers the answer and the way back on a small screen', async () => {
    const rig = await openRig({ snapshot: snapshotOf([asking]), columns: 50, rows: 14 });
    expect(rig.frame()).toContain('A answer');
    await rig.type('i');
    expect(rig.frame()).toMatch(/A answer.*Esc back {2}\? help {2}q quit/u);
    await rig.type(KEYS.esc);
    await rig.waitFor('c create');
  });

  it('+ approves after a question, - rejects with a text', async () => {
    const rig = await openRig({ snapshot: snapshotOf([gated]) });
    await rig.type('+');
    expect(rig.frame()).toContain('Approve shop/cart?');
    expect(rig.frame()).toContain('the agent begins to work');
    await rig.type('y');
    await rig.waitFor('approved shop/cart');
    await rig.type('-');
    await rig.type('Too big.');
    await rig.type(KEYS.enter);
    await rig.waitFor('rejected shop/cart');
    expect(rig.client.requests).toEqual([
      { kind: 'task.approve', taskId: 'g1', gate: null, seen: 'planning', text: '' },
      { kind: 'task.reject', taskId: 'g1', gate: null, seen: 'planning', text: 'Too big.' },
    ]);
  });

  it('+ asks about the gate that was seen, also when another one waits by the time of the answer', async () => {
    const rig = await openRig({ snapshot: snapshotOf([gated]) });
    await rig.type('+');
    const fields = { ...gated.fields, status: 'reviewing' } as const;
    const nothing = { removed: [], projects: null, workspaces: null, problems: null };
    rig.client.push({ tasks: [{ ...gated, fields }], ...nothing });
    await rig.waitFor('reviewing');
    expect(rig.frame()).toContain('the agent begins to work');
    await rig.type('y');
    await rig.waitFor('approved shop/cart');
    expect(rig.client.requests).toMatchObject([{ kind: 'task.approve', seen: 'planning' }]);
  });

  it('says so where there is nothing to answer, approve or reject', async () => {
    const rig = await openRig({ snapshot: snapshotOf([idle]) });
    await rig.type('A');
    expect(rig.frame()).toContain('it asks nothing');
    await rig.type('+');
    expect(rig.frame()).toContain('it cannot be approved now');
    await rig.type('-');
    expect(rig.frame()).toContain('no gate of it waits');
    expect(rig.client.requests).toEqual([]);
  });
});
