import { randomFrom } from '../chaos/random.mjs';
import { TASK_ID, validTask } from './inputs.mjs';
import { refuseMove } from './oracle-task.mjs';

const FILE = 'TASK.md';
const EXPECTED = { id: TASK_ID, project: 'shop' };
const MOMENT = { nowMs: 0, monotonicMs: 1e6, timestamp: '2026-01-03T00:00:00.000Z' };
const MOVING = ['planning', 'working', 'agent-review'];
// Both times, because a file that lacks one of them is read as if it were the other.
const EDITS = {
  status: 'stuck',
  summary: 'a "new": one',
  created_at: '2026-02-01T00:00:00.000Z',
  updated_at: '2026-02-02T00:00:00.000Z',
};

/**
 * Everything orange does with a TASK.md; gives what is wrong with the outcome, or null. `noteMove` is
 * told each move that was rightly made.
 */
export function judgeTask(readers, text, noteMove = () => undefined) {
  const reading = readers.parseTaskFile(text, FILE, { expected: EXPECTED });
  const found = readers.validateTask(text, FILE, { expected: EXPECTED });
  if (!reading.ok && (reading.diagnostics.length === 0 || found.length === 0)) {
    return 'refused without a diagnostic';
  }
  return (
    judgeMoves(readers, { text, reading, noteMove }) ??
    judgeShortCut(readers, text) ??
    judgeEdits(readers, text, reading)
  );
}

function judgeShortCut(readers, text) {
  const split = readers.splitFrontmatter(text, FILE);
  const entries = split.ok ? readers.readPlainLines(split.parts.frontmatter) : null;
  if (entries === null) return null;
  const long = readers.readByYaml(split.parts.frontmatter, FILE);
  const isSame = long.ok && JSON.stringify(long.entries) === JSON.stringify(entries);
  return isSame ? null : 'the short cut reads something else than the YAML reader';
}

function judgeEdits(readers, text, reading) {
  const source = { file: FILE, context: { expected: EXPECTED } };
  const same = readers.editTaskFile(text, {}, source);
  if (same.ok !== reading.ok) return 'what can be read cannot be edited, or the other way round';
  if (!reading.ok) return null;
  if (same.value.text !== text) return 'an edit of nothing changed a byte';
  const edited = readers.editTaskFile(text, { fields: EDITS }, source);
  if (!edited.ok) return null;
  const { record } = edited.value;
  if (record.body !== reading.record.body) return 'an edit changed the body';
  const wanted = { ...reading.record.fields, ...EDITS };
  const kept = JSON.stringify(record.extensions) === JSON.stringify(reading.record.extensions);
  const isSaid = Object.entries(wanted).every(([name, value]) => record.fields[name] === value);
  return kept && isSaid ? null : 'an edit said something else than was asked';
}

/**
 * A file that is still being written moves nothing. One that has been quiet for as long as it takes
 * moves a task only where the oracle, which reads the same bytes by itself, finds what the move needs.
 */
function judgeMoves(readers, { text, reading, noteMove }) {
  for (const task of knownTasks(readers, reading)) {
    const from = task.fields.status;
    const early = moveOf(readers, task, observationOf(readers, reading, false));
    if (early !== null) return `moved from ${from} to ${early} by a file still being written`;
    const to = moveOf(readers, task, observationOf(readers, reading, true));
    if (to === null) continue;
    const wrong = refuseMove(text, { from, to, ...EXPECTED });
    if (wrong !== null) return `moved from ${from} to ${to} ${wrong}`;
    noteMove();
  }
  return null;
}

/** The status that a task gets because of what was seen, or null when it keeps its own. */
function moveOf(readers, task, observation) {
  const { changes } = decideOn(readers, task, observation);
  return changes.find(({ fields }) => fields?.status !== undefined)?.fields.status ?? null;
}

function decideOn(readers, task, observation) {
  const absorbed = readers.absorb(task, observation);
  const world = {
    tasks: new Map([[TASK_ID, absorbed]]),
    projects: new Map([
      ['shop', { name: 'shop', path: '/', default_branch: 'main', pool_size: 1 }],
    ]),
    settings: new Map([['', readers.DEFAULT_SETTINGS]]),
    installedHarnesses: new Set(['claude', 'codex']),
    quarantined: new Map(),
  };
  return readers.decide(world, observation, MOMENT);
}

function observationOf(readers, reading, isSettled) {
  if (!reading.ok) {
    return { kind: 'file-unreadable', taskId: TASK_ID, diagnostics: reading.diagnostics };
  }
  const { fields, extensions, body } = reading.record;
  const { sections } = readers.readSections(body);
  const artifacts = readers.artifactsOf(sections);
  const context = sections.Context ?? null;
  return {
    kind: 'file-read',
    taskId: TASK_ID,
    fields,
    extensions,
    context,
    artifacts,
    isSettled,
  };
}

const fixedTasks = new WeakMap();

/**
 * Tasks that the file could be of, one for each status an agent is at work in: some that say something
 * else than the file, and, where it can be read, some that differ from it in their status at most.
 */
function knownTasks(readers, reading) {
  if (!fixedTasks.has(readers))
    fixedTasks.set(
      readers,
      MOVING.map((status) => makeTask(readers, status)),
    );
  const fixed = fixedTasks.get(readers);
  return reading.ok ? [...fixed, ...fixed.map((task) => agreeing(readers, task, reading))] : fixed;
}

/** A task in a status where an agent is at work, whose file as it was last read would move it on. */
function makeTask(readers, status) {
  const { record } = readers.parseTaskFile(validTask(randomFrom(status), status), FILE);
  const { sections } = readers.readSections(EVERYTHING);
  const task = readers.restoreTask({
    fields: record.fields,
    extensions: record.extensions,
    context: null,
    artifacts: readers.artifactsOf(sections),
    events: [],
    problems: [],
    now: MOMENT.timestamp,
  });
  return {
    ...task,
    isSettled: true,
    worker: { kind: 'live', launchId: 'l1', window: 'worker' },
    reviewer: { kind: 'live', launchId: 'l2', window: 'review' },
    reviewStartedRound: record.fields.review_round,
  };
}

const EVERYTHING = `
## Plan

APPROACH: at once

## Handoff

DONE: all of it

## Review

Verdict: PASS
`;

function agreeing(readers, task, { record: { fields, extensions, body } }) {
  return {
    ...task,
    fields: { ...fields, status: task.fields.status },
    extensions,
    context: readers.readSections(body).sections.Context ?? null,
    reviewStartedRound: fields.review_round,
  };
}

/** What the daemon does with a file that has changed. */
export function readTask(readers, text) {
  return observationOf(readers, readers.parseTaskFile(text, FILE, { expected: EXPECTED }), true);
}

/**
 * F32: what the beginning of a valid file says is what the whole file says, or nothing. A beginning
 * that was cut in the frontmatter cannot be read and moves nothing. One that was cut in the body and
 * then left alone cannot be told from a file that its writer has ended there, so it may move a task,
 * by a section that is valid as it stands, and only as the whole file would.
 */
export function judgePrefix(readers, { text, length }, noteMove) {
  const start = text.slice(0, length);
  const whole = readers.parseTaskFile(text, FILE, { expected: EXPECTED });
  const part = readers.parseTaskFile(start, FILE, { expected: EXPECTED });
  if (!whole.ok) return 'the whole file is refused';
  const otherwise = judgePrefixMoves(readers, { whole, part });
  if (otherwise !== null) return otherwise;
  if (part.ok) {
    const isSame = JSON.stringify(part.record.fields) === JSON.stringify(whole.record.fields);
    if (!isSame) return 'the beginning of a file says something else than the file';
    if (!whole.record.body.startsWith(part.record.body)) return 'the body was changed';
  }
  return judgeTask(readers, start, noteMove);
}

function judgePrefixMoves(readers, { whole, part }) {
  for (const task of knownTasks(readers, whole)) {
    const to = moveOf(readers, task, observationOf(readers, part, true));
    if (to === null) continue;
    const from = task.fields.status;
    const wanted = moveOf(readers, task, observationOf(readers, whole, true));
    if (to !== wanted) return `moved from ${from} to ${to} by the beginning of a file`;
  }
  return null;
}
