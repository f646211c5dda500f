import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createOutbox, type OutboxEntry } from '../../src/record/outbox.js';
import { temporaryHome } from './temporary-home.js';

const ENTRY: OutboxEntry = {
  seq: 7,
  taskId: 'abc',
  commit: '2026-01-31T09:30:00Z',
  events: ['{"type":"x","timestamp":"t"}'],
  effects: [{ kind: 'notify', text: 'line\nbreak' }],
  requestId: null,
};

describe('the outbox', () => {
  it('keeps entries as files, in order, until they are removed', () => {
    using home = temporaryHome();
    const outbox = createOutbox(home);
    expect(outbox.list()).toEqual({ ok: true, value: { entries: [], torn: [], damaged: [] } });
    for (const seq of [10, 9, 100]) expect(outbox.write({ ...ENTRY, seq }).ok).toBe(true);
    expect(readdirSync(home.paths.outboxDir)).toEqual([
      '000000000009.json',
      '000000000010.json',
      '000000000100.json',
    ]);
    expect(outbox.remove(10).ok).toBe(true);
    expect(outbox.remove(10).ok).toBe(true);
    expect(createOutbox(home).list()).toEqual({
      ok: true,
      value: {
        entries: [
          { ...ENTRY, seq: 9 },
          { ...ENTRY, seq: 100 },
        ],
        torn: [],
        damaged: [],
      },
    });
  });

  it('reports what is no entry and reads the rest', () => {
    using home = temporaryHome();
    const outbox = createOutbox(home);
    outbox.write(ENTRY);
    const damage: Readonly<Record<string, string>> = {
      '000000000001.json': '{"seq":1,',
      '000000000002.json': '[]',
      '000000000003.json': JSON.stringify({ ...ENTRY, seq: 4 }),
      '000000000005.json': JSON.stringify({ ...ENTRY, seq: 5, events: ['a\nb'] }),
      '000000000006.json': JSON.stringify({ ...ENTRY, seq: 6, taskId: 1 }),
      '.000000000008.json.abc.tmp': 'half',
    };
    for (const [name, text] of Object.entries(damage)) {
      writeFileSync(join(home.paths.outboxDir, name), `${text}\n`);
    }
    const listed = outbox.list();
    expect(listed.ok && listed.value.entries).toEqual([ENTRY]);
    expect(listed.ok && listed.value.damaged.map(({ code }) => code)).toEqual(
      Array(5).fill('ORA090'),
    );
  });
  it('F1 tells an entry that a kill left half written from one that was damaged', () => {
    using home = temporaryHome();
    const outbox = createOutbox(home);
    outbox.write(ENTRY);
    const whole = `${JSON.stringify({ ...ENTRY, seq: 8 })}\n`;
    for (const length of [0, 1, 40, whole.length - 1]) {
      writeFileSync(join(home.paths.outboxDir, '000000000008.json'), whole.slice(0, length));
      expect(outbox.list()).toEqual({
        ok: true,
        value: { entries: [ENTRY], torn: [8], damaged: [] },
      });
    }
  });
});
