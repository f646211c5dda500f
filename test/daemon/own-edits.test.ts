import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/domain/decision.js';
import { decideUpdate } from '../../src/engine/update-task.js';
import { TASK_ID } from '../builders/task.js';
import { momentOf, openDaemonHome, type DaemonHome } from './daemon-home.js';

const BODY = '\n## Context\n\nWhy.\n\n## Notes\n\none\n\n## Review\n\nVerdict: FAIL\n';

type Parts = Partial<Extract<Change, { kind: 'update-task' }>>;

function record(home: DaemonHome, parts: Parts): void {
  const task = home.world.tasks.get(TASK_ID);
  if (task === undefined) throw new Error('no task');
  const done = home.recorder.record(decideUpdate(task, parts), momentOf(home.clock), null);
  expect(done).toMatchObject({ ok: true });
}

const textOf = (home: DaemonHome): string =>
  readFileSync(home.paths.taskFile('shop', TASK_ID), 'utf8');

/** An agent saves what it read before orange wrote, with its own change in it. */
function saveStale(home: DaemonHome, text: string): void {
  writeFileSync(home.paths.taskFile('shop', TASK_ID), text);
  // What the engine decides about a copy that is older than the record.
  record(home, { runtime: { claims: null }, fields: {}, sections: [], extensions: { seen: 'x' } });
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
