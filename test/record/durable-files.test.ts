import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../src/domain/result.js';
import { formatEvent, createHistoryLog } from '../../src/record/history-log.js';
import { lastGoodProjects } from '../../src/record/last-good-projects.js';
import { createOutbox, type OutboxEntry } from '../../src/record/outbox.js';
import { createPoolFile } from '../../src/record/pool-file.js';
import { createProjectsFile } from '../../src/record/projects-file.js';
import { createTaskStore } from '../../src/record/task-store.js';
import { listenToDisk } from '../rigs/listen-to-disk.js';
import { must } from '../rigs/must.js';
import { SAMPLE_FIELDS, sampleTask } from './sample-task.js';
import { temporaryHome, type TemporaryHome } from './temporary-home.js';

const { id, project } = SAMPLE_FIELDS;
const EVENT = formatEvent({ type: 'task.created', task_id: id }, '2026-01-31T09:30:00Z');
const ENTRY: OutboxEntry = {
  seq: 7,
  taskId: id,
  commit: null,
  events: [EVENT],
  effects: [],
  requestId: null,
};
const FREE = { workspaces: { 'shop--1': { status: 'available' } } } as const;
const SHOP = { name: 'shop', path: '/repos/shop', default_branch: 'main', pool_size: 1 };

/** With the directories that a daemon makes when it opens its home. */
function openedHome(): TemporaryHome {
  const home = temporaryHome();
  const { runDir, tasksDir, workspacesDir } = home.paths;
  for (const each of [runDir, tasksDir, workspacesDir]) must(home.files.makeDirectory(each));
  return home;
}

function storeIn(home: TemporaryHome) {
  return createTaskStore(home);
}

function withTask(home: TemporaryHome): void {
  must(storeIn(home).create(sampleTask(), [EVENT]));
}

function write(home: TemporaryHome): Result<unknown> {
  return storeIn(home).write(project, id, () => ({ fields: { status: 'planning' } }));
}

function keepWords(home: TemporaryHome): Result<unknown> {
  return storeIn(home).write(project, id, () => ({
    body: '\n',
    transcripts: [{ name: 'taken-out.md', text: 'Why.' }],
  }));
}

function replaceText(home: TemporaryHome): Result<unknown> {
  const current = must(home.files.readText(home.paths.taskFile(project, id), 10_000));
  return storeIn(home).replaceText(project, id, { current, text: `${current.text}\nMore.\n` });
}

function writeTwice(home: TemporaryHome): Result<unknown> {
  const outbox = createOutbox(home);
  must(outbox.write(ENTRY));
  must(outbox.remove(ENTRY.seq));
  return outbox.write({ ...ENTRY, seq: 8 });
}

type Case = {
  readonly what: string;
  readonly before?: (home: TemporaryHome) => void;
  readonly write: (home: TemporaryHome) => Result<unknown>;
  readonly at: (paths: Paths) => string;
};

type Paths = TemporaryHome['paths'];

const taskFile = (paths: Paths): string => paths.taskFile(project, id);
const historyFile = (paths: Paths): string => paths.historyFile(project, id);
const intent = (paths: Paths): string => join(paths.outboxDir, '000000000007.json');
const transcript = (paths: Paths): string =>
  join(paths.transcriptsDir(project, id), 'taken-out.md');

const create = (home: TemporaryHome) => storeIn(home).create(sampleTask(), [EVENT]);
const append = ({ files, paths }: TemporaryHome) => {
  must(files.makeDirectory(paths.taskDir(project, id)));
  return createHistoryLog(files).append(historyFile(paths), [EVENT]);
};

const CASES: readonly Case[] = [
  { what: 'TASK.md of a new task', write: create, at: taskFile },
  { what: 'the history of a new task', write: create, at: historyFile },
  { what: 'TASK.md', before: withTask, write, at: taskFile },
  { what: 'TASK.md as a whole text', before: withTask, write: replaceText, at: taskFile },
  { what: 'words taken out of TASK.md', before: withTask, write: keepWords, at: transcript },
  { what: 'a line in the history', before: withTask, write: append, at: historyFile },
  { what: 'the first line in a history', write: append, at: historyFile },
  { what: 'the outbox entry', write: (home) => createOutbox(home).write(ENTRY), at: intent },
  { what: 'an outbox entry in a file used before', write: writeTwice, at: intent },
  {
    what: '.pool.json',
    write: ({ files, paths }) => createPoolFile(files, paths.poolFile).write(FREE),
    at: ({ poolFile }) => poolFile,
  },
  {
    what: '.pool.json that is rebuilt',
    before: ({ files, paths }) => void must(files.replace(paths.poolFile, '{')),
    write: ({ files, paths }) => createPoolFile(files, paths.poolFile).rebuild(FREE),
    at: ({ poolFile }) => poolFile,
  },
  {
    what: 'projects.json',
    write: ({ files, paths }) => createProjectsFile(files, paths.projectsFile).write([SHOP]),
    at: ({ projectsFile }) => projectsFile,
  },
  {
    what: 'the last valid projects',
    write: ({ files, paths }) => lastGoodProjects(files, paths).keep([SHOP]),
    at: ({ runDir }) => join(runDir, 'projects.good.json'),
  },
];

function isWrite(step: string): boolean {
  return step.startsWith('write ');
}

describe('what orange keeps', () => {
  it.each(CASES)('F12 outlives a power cut: $what', (one) => {
    using home = openedHome();
    one.before?.(home);
    using disk = listenToDisk(home.paths.home);
    expect(one.write(home).ok).toBe(true);
    const path = one.at(home.paths);
    expect(disk.steps.filter(isWrite).join('\n')).toContain(basename(path));
    expect(disk.atRisk(path)).toEqual([]);
  });
});
