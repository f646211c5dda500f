import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/domain/decision.js';
import { Recorder } from '../../src/daemon/recorder.js';
import { decideUpdate } from '../../src/engine/update-task.js';
import { TASK_ID } from '../builders/task.js';
import { failingDisk, momentOf, openDaemonHome, type DaemonHome } from './daemon-home.js';

const BODY = '\n## Context\n\nWhy.\n\n## Notes\n\none\n\n## Review\n\nVerdict: FAIL\n';

type Parts = Partial<Extract<Change, { kind: 'update-task' }>>;

/** That of a daemon that starts now over the same home. */
function nextRecorder(home: DaemonHome): Recorder {
  return new Recorder({ ...home, firstSeq: 100, onKept: () => undefined });
}

function record(home: DaemonHome, parts: Parts, recorder = home.recorder): void {
  const task = home.world.tasks.get(TASK_ID);
  if (task === undefined) throw new Error('no task');
  const done = recorder.record(decideUpdate(task, parts), momentOf(home.clock), null);
  expect(done).toMatchObject({ ok: true });
}

const textOf = (home: DaemonHome): string =>
  readFileSync(home.paths.taskFile('shop', TASK_ID), 'utf8');

/** An agent saves what it read before orange wrote, with its own change in it. */
function saveStale(home: DaemonHome, text: string, recorder = home.recorder): void {
  writeFileSync(home.paths.taskFile('shop', TASK_ID), text);
  // What the engine decides about a copy that is older than the record.
  record(home, { runtime: { claims: null }, extensions: { seen: 'x' } }, recorder);
}

const ANSWER = { kind: 'set', section: 'Answers', text: 'Yes.' } as const;

describe('an agent that saves what it read before orange wrote', () => {
  it('does not take out what orange put in, nor bring back what orange took out', () => {
    using home = openDaemonHome();
    home.addTask({}, BODY);
    const read = textOf(home);
    const taken = { kind: 'move-out', section: 'Review', transcript: 'review-1.md' } as const;
    record(home, { sections: [ANSWER] });
    record(home, { sections: [taken] });
    saveStale(home, read.replace('one', 'two'));
    expect(textOf(home)).toContain('## Answers\n\nYes.\n');
    expect(textOf(home)).not.toContain('## Review');
    expect(textOf(home)).toContain('## Notes\n\ntwo\n');
    expect(home.kept).toEqual([]);
  });

  it('finds its words among the transcripts where orange wrote in the same place', () => {
    using home = openDaemonHome();
    home.addTask({}, BODY);
    const read = textOf(home);
    record(home, { sections: [ANSWER] });
    saveStale(home, `${read}\n## Answers\n\nI answer myself.\n`);
    expect(textOf(home)).toContain('## Answers\n\nYes.\n');
    expect(home.kept).toMatchObject([{ kind: 'edit-kept', sections: ['Answers'] }]);
    const dir = home.paths.transcriptsDir('shop', TASK_ID);
    const kept = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
    expect(kept.join('')).toContain('I answer myself.');
  });

  it('does not take it out after a restart either, as often as it tries', () => {
    using home = openDaemonHome();
    home.addTask({}, BODY);
    const read = textOf(home);
    record(home, { sections: [ANSWER] });
    saveStale(home, read.replace('one', 'two'), nextRecorder(home));
    expect(textOf(home)).toContain('## Answers\n\nYes.\n');
    expect(textOf(home)).toContain('## Notes\n\ntwo\n');
    const next = nextRecorder(home);
    record(home, { sections: [{ kind: 'set', section: 'Decision', text: 'No.' }] }, next);
    saveStale(home, read.replace('one', 'three'), nextRecorder(home));
    expect(textOf(home)).toContain('## Answers\n\nYes.\n');
    expect(textOf(home)).toContain('## Decision\n\nNo.\n');
    expect(textOf(home)).toContain('## Notes\n\nthree\n');
  });

  it.each([
    ['damaged', '{'],
    ['of another shape', '[{"updatedAt": 1}]'],
    ['empty', ''],
  ])('finds a restarted orange that goes on where what it kept is %s', (_, text) => {
    using home = openDaemonHome();
    home.addTask({}, BODY);
    const read = textOf(home);
    record(home, { sections: [ANSWER] });
    writeFileSync(home.paths.ownEditsFile(TASK_ID), text);
    const next = nextRecorder(home);
    saveStale(home, read.replace('one', 'two'), next);
    expect(textOf(home)).toContain('## Notes\n\ntwo\n');
    const again = textOf(home);
    record(home, { sections: [ANSWER] }, next);
    saveStale(home, again.replace('two', 'three'), nextRecorder(home));
    expect(textOf(home)).toContain('## Answers\n\nYes.\n');
  });

  it('is not remembered once the task is over', () => {
    using home = openDaemonHome();
    home.addTask({}, BODY);
    record(home, { sections: [ANSWER] });
    expect(existsSync(home.paths.ownEditsFile(TASK_ID))).toBe(true);
    expect(home.world.tasks.get(TASK_ID)?.ownWrites).toHaveLength(2);
    record(home, { fields: { status: 'cancelled' } });
    expect(readdirSync(home.paths.ownEditsDir)).toEqual([]);
    expect(home.world.tasks.get(TASK_ID)?.ownWrites).toEqual([]);
  });

  it('F14 is met by orange’s words also when those cannot be kept for the next daemon', () => {
    using home = openDaemonHome(failingDisk((_, path) => path.includes('own-edits')));
    home.addTask({}, BODY);
    const read = textOf(home);
    record(home, { sections: [ANSWER] });
    saveStale(home, read.replace('one', 'two'));
    expect(textOf(home)).toContain('## Answers\n\nYes.\n');
  });

  it('may take out what it has read', () => {
    using home = openDaemonHome();
    home.addTask({}, BODY);
    record(home, { sections: [ANSWER] });
    saveStale(home, textOf(home).replace('## Answers\n\nYes.\n', ''));
    expect(textOf(home)).not.toContain('Yes.');
    expect(existsSync(home.paths.transcriptsDir('shop', TASK_ID))).toBe(false);
  });

  it('is believed over its own older words that came late', () => {
    using home = openDaemonHome();
    home.addTask({}, BODY);
    const task = home.world.tasks.get(TASK_ID);
    if (task === undefined) throw new Error('no task');
    const read = textOf(home);
    const base = { fields: task.fields, extensions: {}, body: BODY };
    record(home, { lateEdit: { base, late: { ...base, body: BODY.replace('one', 'two') } } });
    expect(textOf(home)).toContain('## Notes\n\ntwo\n');
    saveStale(home, read.replace('one', 'three'));
    expect(textOf(home)).toContain('## Notes\n\nthree\n');
    const dir = home.paths.transcriptsDir('shop', TASK_ID);
    const kept = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
    expect(kept).toEqual(['## Notes\n\ntwo\n']);
  });
});

const touched = (text: string): string =>
  text.replace(/^updated_at: .*$/m, 'updated_at: 2030-01-01T00:00:00.000Z');

describe('an agent that sets updated_at itself', () => {
  it.each([
    ['later than any of orange’s', 2],
    ['between two of orange’s', 1],
  ])('F34 to a time %s takes out nothing that orange wrote, also after a restart', (_, at) => {
    using home = openDaemonHome();
    home.addTask({}, BODY);
    const read = textOf(home);
    const times = [
      { summary: 'Before' },
      { summary: 'Between', sections: [ANSWER] },
      { summary: 'After' },
    ].map(({ summary, sections = [] }) => {
      record(home, { fields: { summary }, sections });
      home.clock.advance(10);
      return new Date(home.clock.nowMs() - 5).toISOString();
    });
    const old = read.replace(/^updated_at: .*$/m, `updated_at: ${times[at] ?? ''}`);
    saveStale(home, old.replace('one', 'two'), nextRecorder(home));
    expect(textOf(home)).toContain('## Answers\n\nYes.\n');
    expect(textOf(home)).toContain('## Notes\n\ntwo\n');
    expect(home.kept).toEqual([]);
  });

  it('F34 finds its own changes as it made them', () => {
    using home = openDaemonHome();
    home.addTask({}, BODY);
    record(home, { sections: [ANSWER] });
    record(home, {
      sections: [{ kind: 'move-out', section: 'Review', transcript: 'review-1.md' }],
    });
    const mine = textOf(home).replace('## Notes\n\none\n', '').replace('Yes.', 'Yes.\nI see.');
    const verdict = '\n## Review\n\nVerdict: FAIL\n';
    saveStale(home, touched(`${mine}${verdict}`));
    expect(textOf(home)).toContain('## Answers\n\nYes.\nI see.\n');
    expect(textOf(home)).not.toContain('## Notes');
    expect(textOf(home)).toContain('## Review\n\nVerdict: FAIL\n');
    expect(home.kept).toEqual([]);
  });

  it('F34 does not get back what orange wrote and took out again', () => {
    using home = openDaemonHome();
    home.addTask({}, '\n## Context\n\nWhy.\n');
    const read = textOf(home);
    const wish = { kind: 'set', section: 'Review', text: 'Verdict: FAIL\n\nBlue.' } as const;
    record(home, { sections: [wish] });
    record(home, {
      sections: [{ kind: 'move-out', section: 'Review', transcript: 'review-1.md' }],
    });
    saveStale(home, touched(read));
    expect(textOf(home)).not.toContain('## Review');
    saveStale(home, touched(`${textOf(home)}\n## Review\n\nVerdict: PASS\n`));
    expect(textOf(home)).toContain('## Review\n\nVerdict: PASS\n');
    expect(home.kept).toEqual([]);
  });
});
