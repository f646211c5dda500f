import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failed } from '../../src/domain/result.js';
import type { Files } from '../../src/ports.js';
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

function refuse(path: string): ReturnType<typeof failed> {
  return failed({ kind: 'io-failed', path, operation: 'fill', code: 'EIO' });
}

describe('the outbox', () => {
  it('keeps entries as files, in order, until they are removed', () => {
    using home = temporaryHome();
    const outbox = createOutbox(home);
    const nothing = { entries: [], torn: [], damaged: [], nextSeq: 1 };
    expect(outbox.list()).toEqual({ ok: true, value: nothing });
    for (const seq of [10, 9, 100]) expect(outbox.write({ ...ENTRY, seq }).ok).toBe(true);
    expect(readdirSync(home.paths.outboxDir)).toEqual([
      '000000000009.json',
      '000000000010.json',
      '000000000100.json',
    ]);
    expect(outbox.remove(10).ok).toBe(true);
    expect(outbox.remove(10).ok).toBe(true);
    expect(createOutbox(home).list()).toMatchObject({
      value: { torn: [join(home.paths.outboxDir, '000000000010.json')], damaged: [] },
    });
    rmSync(join(home.paths.outboxDir, '000000000010.json'));
    expect(createOutbox(home).list()).toEqual({
      ok: true,
      value: {
        entries: [
          { ...ENTRY, seq: 9 },
          { ...ENTRY, seq: 100 },
        ],
        torn: [],
        damaged: [],
        nextSeq: 101,
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
      '000000000009.json': JSON.stringify(ENTRY),
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

  it('writes an entry into a file whose entry is done with, and never two into one', () => {
    using home = temporaryHome();
    const outbox = createOutbox(home);
    for (const seq of [1, 2]) expect(outbox.write({ ...ENTRY, seq }).ok).toBe(true);
    expect(outbox.remove(1).ok).toBe(true);
    expect(outbox.write({ ...ENTRY, seq: 3 }).ok).toBe(true);
    // Told once more of an entry whose file has another by now.
    expect(outbox.remove(1).ok).toBe(true);
    expect(outbox.write({ ...ENTRY, seq: 4 }).ok).toBe(true);
    expect(readdirSync(home.paths.outboxDir)).toEqual([
      '000000000001.json',
      '000000000002.json',
      '000000000004.json',
    ]);
    const next = createOutbox(home);
    expect(next.list()).toMatchObject({
      value: { entries: [{ seq: 2 }, { seq: 3 }, { seq: 4 }], torn: [], damaged: [] },
    });
    for (const seq of [2, 3, 4]) expect(next.remove(seq).ok).toBe(true);
    expect(createOutbox(home).list()).toMatchObject({ value: { entries: [], damaged: [] } });
  });

  it('makes a file anew when somebody took its spare ones away, or put something into them', () => {
    using home = temporaryHome();
    const outbox = createOutbox(home);
    for (const seq of [1, 2]) outbox.write({ ...ENTRY, seq });
    for (const seq of [1, 2]) outbox.remove(seq);
    rmSync(join(home.paths.outboxDir, '000000000002.json'));
    expect(outbox.write({ ...ENTRY, seq: 3 }).ok).toBe(true);
    writeFileSync(join(home.paths.outboxDir, '000000000001.json'), 'not ours');
    expect(outbox.write({ ...ENTRY, seq: 4 }).ok).toBe(true);
    expect(outbox.list()).toMatchObject({
      value: { entries: [{ seq: 3 }, { seq: 4 }], torn: [], damaged: [] },
    });
  });

  it('leaves a file alone that has a number, but another entry than its own', () => {
    using home = temporaryHome();
    mkdirSync(home.paths.outboxDir, { recursive: true });
    const odd = join(home.paths.outboxDir, '000000000008.json');
    writeFileSync(odd, `${JSON.stringify({ ...ENTRY, seq: 5 })}\n`);
    const outbox = createOutbox(home);
    expect(outbox.list()).toMatchObject({ value: { entries: [{ seq: 5 }], nextSeq: 9 } });
    expect(outbox.write({ ...ENTRY, seq: 8 })).toMatchObject({ failure: { code: 'EEXIST' } });
    expect(outbox.remove(8).ok).toBe(true);
    expect(outbox.list()).toMatchObject({ value: { entries: [{ seq: 5 }], damaged: [] } });
  });

  it('takes a copy of an entry for damage, wherever it comes in the order', () => {
    using home = temporaryHome();
    const outbox = createOutbox(home);
    outbox.write(ENTRY);
    const copy = join(home.paths.outboxDir, '000000000001.json');
    writeFileSync(copy, `${JSON.stringify(ENTRY)}\n`);
    expect(outbox.list()).toMatchObject({ value: { entries: [ENTRY], damaged: [{ file: copy }] } });
    expect(outbox.remove(ENTRY.seq).ok).toBe(true);
    expect(readFileSync(copy, 'utf8')).not.toBe('');
  });

  it('F16 finds an entry again that could be neither written nor taken away', () => {
    using home = temporaryHome();
    let isBroken = false;
    const files: Files = {
      ...home.files,
      fill: (path, text) => {
        home.files.fill(path, text);
        return refuse(path);
      },
      empty: (path) => (isBroken ? refuse(path) : home.files.empty(path)),
      remove: (path) => (isBroken ? refuse(path) : home.files.remove(path)),
    };
    const outbox = createOutbox({ files, paths: home.paths });
    outbox.write({ ...ENTRY, seq: 1 });
    outbox.remove(1);
    isBroken = true;
    expect(outbox.write({ ...ENTRY, seq: 2 })).toMatchObject({ ok: false });
    expect(outbox.remove(2)).toMatchObject({ ok: false });
    isBroken = false;
    expect(outbox.remove(2)).toMatchObject({ ok: true });
    expect(outbox.list()).toMatchObject({ value: { entries: [], damaged: [] } });
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
        value: {
          entries: [ENTRY],
          torn: [join(home.paths.outboxDir, '000000000008.json')],
          damaged: [],
          nextSeq: 9,
        },
      });
    }
  });
});
