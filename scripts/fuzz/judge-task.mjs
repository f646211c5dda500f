import { randomFrom } from '../chaos/random.mjs';
import { TASK_ID, validTask } from './inputs.mjs';

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

/** Everything orange does with a TASK.md; gives what is wrong with the outcome, or null. */
export function judgeTask(readers, text) {
  const reading = readers.parseTaskFile(text, FILE, { expected: EXPECTED });
  const found = readers.validateTask(text, FILE, { expected: EXPECTED });
  if (!reading.ok && (reading.diagnostics.length === 0 || found.length === 0)) {
    return 'refused without a diagnostic';
  }
  return (
    judgeShortCut(readers, text) ??
    judgeEdits(readers, text, reading) ??
    judgeMoves(readers, reading)
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

/** Neither a file that cannot be read nor one that is still being written moves a task. */
function judgeMoves(readers, reading) {
  for (const status of MOVING) {
    const task = knownTask(readers, status);
    const decision = decideOn(readers, task, observationOf(readers, reading));
    const moved = decision.changes.find(({ fields }) => fields?.status !== undefined);
    if (moved === undefined) continue;
    // The status in a file is somebody's request, and needs no settling.
    if (reading.ok && reading.record.fields.status !== status) continue;
    return `moved from ${status} to ${moved.fields.status}`;
  }
  return null;
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

function observationOf(readers, reading) {
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
    isSettled: false,
  };
}

const knownTasks = new WeakMap();

function knownTask(readers, status) {
  const known = knownTasks.get(readers) ?? new Map();
  knownTasks.set(readers, known);
  if (!known.has(status)) known.set(status, makeTask(readers, status));
  return known.get(status);
}

/** A task in a status where an agent of its own is at work. */
function makeTask(readers, status) {
  const { record } = readers.parseTaskFile(validTask(randomFrom(status), status), FILE);
  const { sections } = readers.readSections('');
  const worker = { kind: 'live', launchId: 'l1', window: 'worker' };
  const task = readers.restoreTask({
    fields: record.fields,
    extensions: record.extensions,
    context: null,
    artifacts: readers.artifactsOf(sections),
    events: [],
    problems: [],
  });
  return { ...task, worker };
}

/** What the daemon does with a file that has changed. */
export function readTask(readers, text) {
  return observationOf(readers, readers.parseTaskFile(text, FILE, { expected: EXPECTED }));
}

/** F32: what the beginning of a valid file says is what the whole file says, or nothing. */
export function judgePrefix(readers, { text, length }) {
  const whole = readers.parseTaskFile(text, FILE, { expected: EXPECTED });
  const part = readers.parseTaskFile(text.slice(0, length), FILE, { expected: EXPECTED });
  if (!whole.ok) return 'the whole file is refused';
  if (part.ok) {
    const isSame = JSON.stringify(part.record.fields) === JSON.stringify(whole.record.fields);
    if (!isSame) return 'the beginning of a file says something else than the file';
    if (!whole.record.body.startsWith(part.record.body)) return 'the body was changed';
  }
  return judgeTask(readers, text.slice(0, length));
}
