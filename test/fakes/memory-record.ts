import type { Change, Decision, SectionEdit } from '../../src/domain/decision.js';
import type { Diagnostic } from '../../src/domain/diagnostic.js';
import type { EventDraft, HistoryEvent } from '../../src/domain/history-event.js';
import type { Moment, Observation } from '../../src/domain/observation.js';
import type { Sections } from '../../src/domain/section.js';
import type { Extensions, TaskFields } from '../../src/domain/task.js';
import type { TaskState, World } from '../../src/domain/world.js';
import { editBody } from '../../src/daemon/edit-body.js';
import { laterTimestamp } from '../../src/daemon/later-timestamp.js';
import { restoreTask } from '../../src/engine/restore-task.js';
import { formatItem } from '../../src/record/questions.js';
import { artifactsOf, readSections } from '../../src/record/sections.js';

/** A task's file and what was appended beside it. */
export type TaskFile = {
  readonly fields: TaskFields;
  readonly extensions: Extensions;
  readonly sections: Sections;
  /** Whether nobody has written to it for `settle_ms`. */
  readonly isQuiet: boolean;
  /** Why the file cannot be read; empty when it can. */
  readonly damage: readonly Diagnostic[];
  readonly history: readonly HistoryEvent[];
  readonly transcripts: Readonly<Record<string, string>>;
};

/** What survives the daemon, and what it knows. */
export type Kept = {
  readonly world: World;
  readonly files: ReadonlyMap<string, TaskFile>;
};

type UpdateTask = Extract<Change, { kind: 'update-task' }>;
type CreateTask = Extract<Change, { kind: 'create-task' }>;

/** Records a decision as the daemon's recorder does, with maps in the place of a disk. */
export function applyDecision(kept: Kept, decision: Decision, moment: Moment): Kept {
  return decision.changes.reduce((sofar, change) => applyChange(sofar, change, moment), kept);
}

function applyChange(kept: Kept, change: Change, moment: Moment): Kept {
  switch (change.kind) {
    case 'create-task':
      return createTask(kept, change, moment);
    case 'update-task':
      return updateTask(kept, change, moment);
    case 'delete-task':
      return {
        world: { ...kept.world, tasks: without(kept.world.tasks, change.taskId) },
        files: without(kept.files, change.taskId),
      };
    case 'quarantine': {
      const { workspace, reason, isHindered } = change;
      const aside = { reason, failures: 0, isHindered };
      const quarantined = new Map([...kept.world.quarantined, [workspace, aside] as const]);
      return { ...kept, world: { ...kept.world, quarantined } };
    }
  }
}

function createTask(kept: Kept, change: CreateTask, moment: Moment): Kept {
  const { fields, extensions } = change;
  const { sections } = readSections(editBody('', change.sections).body);
  const history = stamped(change.events, moment.timestamp);
  const file: TaskFile = {
    fields,
    extensions,
    sections,
    isQuiet: true,
    damage: [],
    history,
    transcripts: {},
  };
  const context = sections.Context ?? null;
  const artifacts = artifactsOf(sections);
  const now = moment.timestamp;
  const known = { fields, extensions, context, artifacts };
  const task = restoreTask({ ...known, events: [], problems: [], now });
  return put(kept, { ...task, ...change.runtime, isSettled: true }, file);
}

function updateTask(kept: Kept, change: UpdateTask, moment: Moment): Kept {
  const task = kept.world.tasks.get(change.taskId);
  const file = kept.files.get(change.taskId);
  if (task === undefined || file === undefined) return kept;
  if (!writesFile(task, change)) {
    const history = [...file.history, ...stamped(change.events, moment.timestamp)];
    return put(kept, { ...task, ...change.runtime }, { ...file, history });
  }
  const updatedAt = laterTimestamp(task.fields.updated_at, moment);
  const written = writeFile(task, file, { change, updatedAt });
  const isSameBody = written.sections === file.sections;
  const next: TaskState = {
    ...task,
    fields: written.fields,
    extensions: written.extensions,
    artifacts: isSameBody ? task.artifacts : artifactsOf(written.sections),
    claims: null,
    ...change.runtime,
  };
  return put(kept, next, written);
}

function writeFile(
  task: TaskState,
  file: TaskFile,
  { change, updatedAt }: { readonly change: UpdateTask; readonly updatedAt: string },
): TaskFile {
  const extensions = { ...file.extensions };
  for (const [key, value] of Object.entries(change.extensions)) {
    if (value === null) delete extensions[key];
    else extensions[key] = value;
  }
  const moved = change.sections.flatMap((edit) =>
    edit.kind !== 'append' && edit.transcript !== undefined
      ? [[edit.transcript, file.sections[edit.section] ?? '']]
      : [],
  );
  return {
    ...file,
    fields: { ...task.fields, ...change.fields, updated_at: updatedAt },
    extensions,
    sections: change.sections.reduce(editSection, file.sections),
    history: [...file.history, ...stamped(change.events, updatedAt)],
    transcripts: {
      ...file.transcripts,
      ...Object.fromEntries(moved),
      ...Object.fromEntries(change.transcripts.map(({ name, text }) => [name, text])),
    },
  };
}

function editSection(sections: Sections, edit: SectionEdit): Sections {
  if (edit.kind === 'append') {
    const before = sections[edit.section];
    const item = formatItem(edit.label, edit.text).trimEnd();
    return { ...sections, [edit.section]: before === undefined ? item : `${before}\n\n${item}` };
  }
  if (edit.kind === 'set') return { ...sections, [edit.section]: edit.text };
  const { [edit.section]: _, ...others } = sections;
  return others;
}

function writesFile(task: TaskState, change: UpdateTask): boolean {
  return (
    Object.keys(change.fields).length > 0 ||
    Object.keys(change.extensions).length > 0 ||
    change.sections.length > 0 ||
    (task.claims !== null && change.runtime.claims === null)
  );
}

/** What reading a file gives, as the observer reports it. */
export function fileRead(file: TaskFile, isSettled: boolean): Observation {
  if (file.damage.length > 0) {
    const { id: taskId, updated_at: since } = file.fields;
    return { kind: 'file-unreadable', taskId, since, diagnostics: file.damage };
  }
  return {
    kind: 'file-read',
    taskId: file.fields.id,
    fields: file.fields,
    extensions: file.extensions,
    context: file.sections.Context ?? null,
    artifacts: artifactsOf(file.sections),
    isSettled,
  };
}

export function put(kept: Kept, task: TaskState, file: TaskFile): Kept {
  const { id } = task.fields;
  return {
    world: { ...kept.world, tasks: new Map([...kept.world.tasks, [id, task]]) },
    files: new Map([...kept.files, [id, file]]),
  };
}

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  return new Map([...map].filter(([each]) => each !== key));
}

function stamped(events: readonly EventDraft[], timestamp: string): readonly HistoryEvent[] {
  return events.map(({ type, ...facts }) => ({ type, timestamp, ...facts }));
}
