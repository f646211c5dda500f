import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Diagnostic } from '../../domain/diagnostic.js';
import { failed, success, type Result } from '../../domain/result.js';
import { missingReferences } from '../../domain/task-relations.js';
import type { TaskView } from '../../domain/task-view.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { findTask, isInside } from '../find-task.js';
import { withJson, type JsonOption } from '../options.js';
import { paint } from '../paint.js';
import { count, oneLine } from '../table.js';

export function addValidateCommand(program: Command, run: Run): void {
  withJson(program.command('validate'))
    .description('check task files; exit 1 when one has an error')
    .argument('[path]', 'file, directory or task (default: every file of the home)')
    .action((path: string | undefined, options: JsonOption) =>
      run(options, (context) => validate(context, path)),
    );
}

export async function validate(context: CommandContext, path: string | undefined): Promise<Ending> {
  const found = await check(context, path);
  if (!found.ok) return found;
  const { files, diagnostics } = found.value;
  const errors = diagnostics.filter((finding) => finding.severity === 'error').length;
  context.output.result(diagnostics, () => formatFindings(diagnostics, files));
  return success(errors === 0 ? 0 : 1);
}

type Checked = { readonly files: number; readonly diagnostics: readonly Diagnostic[] };

async function check(context: CommandContext, path: string | undefined): Promise<Result<Checked>> {
  if (path === undefined) return checkHome(context);
  const target = await locate(context, path);
  if (!target.ok) return target;
  const files = target.value;
  const diagnostics: Diagnostic[] = [];
  for (const file of files) diagnostics.push(...(await checkFile(context, file)));
  return success({ files: files.length, diagnostics });
}

async function checkHome(context: CommandContext): Promise<Result<Checked>> {
  const { readHome } = await import('../read-home.js');
  const home = await readHome(context);
  if (!home.ok) return home;
  const files = taskFiles(context, context.paths.tasksDir);
  if (!files.ok) return files;
  const diagnostics: Diagnostic[] = [];
  for (const file of files.value) diagnostics.push(...(await checkFile(context, file)));
  // Files beside the tasks: projects, pool and settings.
  const seen = new Set(files.value);
  const known = [...home.value.problems, ...home.value.tasks.flatMap((task) => task.problems)];
  const others = known.filter((finding) => !seen.has(finding.file));
  const references = checkReferences(context, home.value.tasks);
  const all = [...others, ...diagnostics, ...references];
  return success({ files: files.value.length, diagnostics: all });
}

/** Only the whole home can tell which tasks there are. */
function checkReferences(
  { paths }: CommandContext,
  tasks: readonly TaskView[],
): readonly Diagnostic[] {
  const known = new Set(tasks.map(({ fields }) => fields.id));
  return tasks.flatMap((task) =>
    missingReferences(task, (id) => known.has(id)).map(({ key, id }): Diagnostic => {
      const { id: taskId, project } = task.fields;
      const file = paths.taskFile(project, taskId);
      const message = `${key} names ${id}, which does not exist`;
      const fix = key === 'blocked_by' ? `orange task unblock ${taskId} ${id}` : 'leave it out';
      return { code: 'ORA038', severity: 'warning', file, line: 1, message, fix };
    }),
  );
}

async function checkFile(context: CommandContext, file: string): Promise<readonly Diagnostic[]> {
  const { validateTask } = await import('../../record/validate-task.js');
  const { diagnoseUnreadable } = await import('../../record/diagnose-unreadable.js');
  const { MAX_TASK_FILE_BYTES } = await import('../../record/split-frontmatter.js');
  const text = context.files.readText(file, MAX_TASK_FILE_BYTES);
  if (!text.ok) return diagnoseUnreadable(text.failure, file);
  return validateTask(text.value.text, file, expectation(context, file));
}

// Inside the home the directories say what id and project must be.
function expectation(context: CommandContext, file: string) {
  const directory = dirname(file);
  const isTask = dirname(dirname(directory)) === context.paths.tasksDir;
  return isTask
    ? { expected: { id: basename(directory), project: basename(dirname(directory)) } }
    : {};
}

/** The files that a path or a task's name stands for. */
async function locate(context: CommandContext, path: string): Promise<Result<readonly string[]>> {
  const place = resolve(context.cwd, path);
  const state = context.files.stat(place);
  if (!state.ok) return state;
  switch (state.value.kind) {
    case 'directory': {
      const found = taskFiles(context, place);
      if (!found.ok) return found;
      return success([...new Set(found.value.map((file) => followLink(context, file)))]);
    }
    case 'link':
    case 'file':
    case 'special':
      return success([followLink(context, place)]);
    case 'absent':
      return locateTask(context, path);
  }
}

// A worktree's TASK.md is a link to the task's own; in the home itself a link is a fault.
function followLink(context: CommandContext, file: string): string {
  const state = context.files.stat(file);
  const isLink = state.ok && state.value.kind === 'link';
  if (!isLink || isInside(file, context.paths.tasksDir)) return file;
  return resolve(dirname(file), state.value.target);
}

async function locateTask(
  context: CommandContext,
  name: string,
): Promise<Result<readonly string[]>> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const task = findTask(snapshot.value.tasks, name);
  if (task.ok)
    return success([context.paths.taskFile(task.value.fields.project, task.value.fields.id)]);
  // A task whose file cannot be read is in no list; its directory still has its name.
  const all = taskFiles(context, context.paths.tasksDir);
  if (!all.ok) return all;
  const named = all.value.filter((file) => basename(dirname(file)) === name);
  if (named.length > 0) return success(named);
  if (task.failure.kind !== 'not-found') return task;
  return failed({ ...task.failure, what: 'file or task' });
}

/** Every TASK.md below a directory, at most three levels down. */
function taskFiles(context: CommandContext, directory: string): Result<readonly string[]> {
  return walk(context, directory, DEPTH);
}

const DEPTH = 3;
const SKIPPED = new Set(['node_modules', '.git']);

function walk(
  context: CommandContext,
  directory: string,
  depth: number,
): Result<readonly string[]> {
  const state = context.files.stat(directory);
  if (!state.ok) return state;
  if (state.value.kind === 'absent') return success([]);
  const names = context.files.list(directory);
  if (!names.ok) return names;
  const found: string[] = [];
  for (const name of names.value.toSorted((a, b) => a.localeCompare(b))) {
    const path = join(directory, name);
    if (name === 'TASK.md') found.push(path);
    const entry = context.files.stat(path);
    const isBelow = entry.ok && entry.value.kind === 'directory' && !SKIPPED.has(name);
    if (!isBelow || depth === 0 || name === 'TASK.md') continue;
    const below = walk(context, path, depth - 1);
    if (!below.ok) return below;
    found.push(...below.value);
  }
  return success(found);
}

function formatFindings(diagnostics: readonly Diagnostic[], files: number): string {
  const lines = diagnostics.map((finding) => {
    const tone = finding.severity === 'error' ? 'red' : 'yellow';
    const place = `${oneLine(finding.file)}:${finding.line}`;
    const words = `${paint(tone, finding.severity)} ${finding.code} ${oneLine(finding.message)}`;
    return `${place}\n  ${words}\n  ${paint('dim', oneLine(finding.fix))}`;
  });
  const errors = diagnostics.filter((finding) => finding.severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const checked = `${count(files, 'file')} checked`;
  const verdict =
    diagnostics.length === 0
      ? paint('green', `${checked}, nothing to report.`)
      : `${checked}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.`;
  return [...lines, verdict].join('\n');
}
