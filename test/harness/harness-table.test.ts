import { describe, expect, it } from 'vitest';
import { HARNESS_PROGRAMS } from '../../src/domain/harness-names.js';
import { DEFAULT_SETTINGS, type HarnessSettings } from '../../src/domain/settings.js';
import {
  firstInstalled,
  harnessTable,
  type HarnessTable,
} from '../../src/harness/harness-table.js';
import { assignment } from './assignment.js';

const demo = { nodePath: '/usr/bin/node', agentPath: '/dist/orange-demo-agent.js' };

function tableWith(harnesses: Readonly<Record<string, HarnessSettings>> = {}): HarnessTable {
  return harnessTable({ harnesses }, demo);
}

function pick(order: readonly string[], installed: readonly string[]): unknown {
  return firstInstalled({
    order,
    table: tableWith({ mybot: { command: ['/opt/mybot', '{prompt}'] } }),
    isInstalled: (program) => installed.includes(program),
  });
}

describe('the table of harnesses', () => {
  it('has the programs that the rest of orange knows by name', () => {
    const programs = [...tableWith()].map(([name, harness]) => [name, harness.program]);
    expect(Object.fromEntries(programs)).toEqual({ ...HARNESS_PROGRAMS, demo: demo.nodePath });
  });

  it('takes new and changed harnesses from settings', () => {
    const table = tableWith({
      mybot: { command: ['mybot', '{task_id}'] },
      pi: { env: { A: null } },
    });
    expect(table.get('mybot')?.command(assignment())).toEqual({ ok: true, value: ['mybot', 'T1'] });
    expect(table.get('pi')).toMatchObject({ program: 'pi', env: { A: null } });
  });
});

describe('the default harness', () => {
  it('ORA-26 is the first installed one in the user’s order', () => {
    const order = DEFAULT_SETTINGS.harnessOrder;
    expect(pick(order, ['claude', 'pi'])).toMatchObject({ name: 'claude' });
    expect(pick(order, ['pi', 'gemini'])).toMatchObject({ name: 'pi' });
    expect(pick(['gemini', 'pi'], ['pi', 'gemini'])).toMatchObject({ name: 'gemini' });
  });

  it('ORA-26 may be one of the user’s own', () => {
    expect(pick(['mybot', 'claude'], ['/opt/mybot', 'claude'])).toMatchObject({ name: 'mybot' });
  });

  it('ORA-26 is none when nothing is installed, and says what was tried', () => {
    expect(pick(['claude', 'codex'], [])).toEqual({
      name: null,
      tried: ['claude', 'codex'],
      unknown: [],
    });
  });

  it('ORA-26 is never the demo agent', () => {
    expect(pick(['demo'], [demo.nodePath])).toEqual({ name: null, tried: [], unknown: [] });
  });

  it('passes over names that nobody has, and notes them', () => {
    expect(pick(['cloud', 'claude'], ['claude'])).toEqual({
      name: 'claude',
      tried: ['claude'],
      unknown: ['cloud'],
    });
  });

  it('claude, the default reviewer, can be named whether or not it is installed', () => {
    const reviewer = tableWith()
      .get('claude')
      ?.command(assignment({ role: 'reviewer' }));
    expect(reviewer).toMatchObject({ ok: true });
  });
});
