import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHistoryLog, formatEvent, parseHistory } from '../../src/record/history-log.js';
import { temporaryHome } from './temporary-home.js';

const AT = '2026-01-31T09:30:00Z';

describe('history.jsonl', () => {
  it('ORA-80 ORA-81 an event is one line with type and timestamp first', () => {
    expect(formatEvent({ type: 'status.changed', from: 'a', to: 'b\nc' }, AT)).toBe(
      `{"type":"status.changed","timestamp":"${AT}","from":"a","to":"b\\nc"}`,
    );
  });

  it.each([
    ['ORA-82', { type: 'task.created', task_id: 'abc', project: 'p', branch: 'b' }],
    ['ORA-83', { type: 'agent.spawned', workspace: 'p--1', tmux_session: 'p/b' }],
    ['ORA-84', { type: 'status.changed', from: 'pending', to: 'planning' }],
    [
      'ORA-85 ORA-88',
      { type: 'agent.crashed', status: 'working', crash_count: 1, reason: 'no ## Handoff' },
    ],
    [
      'ORA-86 ORA-88',
      { type: 'auto.advanced', from: 'working', to: 'agent-review', reason: '## Handoff found' },
    ],
    ['ORA-87', { type: 'task.merged', commit: 'abc123' }],
  ])('%s keeps the keys of %j in order', (_, draft) => {
    const line = formatEvent(draft, AT);
    const [event] = parseHistory(`${line}\n`).events;
    expect(event).toEqual({ ...draft, timestamp: AT });
    const { type: __, ...facts } = draft;
    expect(Object.keys(event ?? {})).toEqual(['type', 'timestamp', ...Object.keys(facts)]);
  });

  it('ORA-89 accepts historic rows', () => {
    const row = `{"type":"status.changed","timestamp":"${AT}","from":"pending","to":"working"}\n`;
    expect(parseHistory(row).events).toHaveLength(1);
  });

  it('ORA-87 reads commit_hash as commit', () => {
    const row = `{"type":"task.merged","timestamp":"${AT}","commit_hash":"abc"}\n`;
    expect(parseHistory(row).events).toEqual([
      { type: 'task.merged', timestamp: AT, commit: 'abc' },
    ]);
  });

  it('one bad line never hides the others', () => {
    const good = formatEvent({ type: 'x' }, AT);
    const text = `${good}\nnot json\n[1]\n{"type":1}\n\n${good}\r\n{"type":"x"}\n${good}\n{"type":"to`;
    expect(parseHistory(text)).toMatchObject({
      events: [{ type: 'x' }, { type: 'x' }, { type: 'x' }],
      damage: [{ line: 2, text: 'not json' }, { line: 3 }, { line: 4 }, { line: 7 }],
      tornTail: '{"type":"to',
    });
  });

  it('a complete last line that lacks only its line break counts', () => {
    expect(parseHistory(formatEvent({ type: 'x' }, AT))).toMatchObject({
      events: [{ type: 'x' }],
      tornTail: null,
    });
  });

  it('passes over whole lines of other types when only some are wanted', () => {
    const wanted = new Set(['a']);
    const lines = [
      formatEvent({ type: 'a', n: 1 }, AT),
      formatEvent({ type: 'b', n: 2 }, AT),
      `{"timestamp":"${AT}","type":"b","n":3}`,
      '{"type":"b","timestamp":"cut off',
      '{"type":"b',
      '{"type":"a","timestamp":1}',
      formatEvent({ type: 'a', n: 4 }, AT),
    ];
    const history = parseHistory(lines.join('\n'), wanted);
    expect(history.events.map((event) => event['n'])).toEqual([1, 3, 4]);
    expect(history.damage.map(({ line }) => line)).toEqual([4, 5, 6]);
    expect(history.tornTail).toBeNull();
  });
});

it('reads the last line of a history whatever its type, since it tells until when it goes', () => {
  const lines = [formatEvent({ type: 'b', n: 1 }, AT), formatEvent({ type: 'b', n: 2 }, AT)];
  const history = parseHistory(`${lines.join('\n')}\n`, new Set(['a']));
  expect(history.events.map((event) => event['n'])).toEqual([2]);
});

describe('a history that grows without end', () => {
  it('I9 says once that it is full, and from then on takes only what a task lives on', () => {
    using home = temporaryHome();
    const path = join(home.paths.home, 'history.jsonl');
    const note = formatEvent({ type: 'task.updated', fields: ['summary'] }, AT);
    const move = formatEvent({ type: 'status.changed', from: 'planning', to: 'working' }, AT);
    const history = createHistoryLog(home.files, {
      lasting: new Set(['status.changed']),
      fullBytes: 2 * note.length,
    });
    for (const lines of [[note], [note, note], [note], [note, move], [note]]) {
      expect(history.append(path, lines)).toEqual({ ok: true, value: { repaired: null } });
    }
    const read = history.read(path);
    expect(read.ok && read.value.events.map(({ type }) => type)).toEqual([
      'task.updated',
      'task.updated',
      'task.updated',
      'history.full',
      'status.changed',
    ]);
  });
});
