import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { violation } from './violation.mjs';

// The fourteen fields in their order, from the format's description.
const FIELDS = [
  'id',
  'project',
  'branch',
  'harness',
  'review_harness',
  'status',
  'review_round',
  'crash_count',
  'summary',
  'workspace',
  'tmux_session',
  'pr_url',
  'created_at',
  'updated_at',
];

/** Everything that a home holds, read with parsers of the oracle's own. Problems are violations. */
export function readHome(home) {
  const problems = [];
  const tasks = listTasks(home).map(({ project, id }) => {
    const folder = join(home, 'tasks', project, id);
    return {
      id,
      project,
      folder,
      ...readTask(folder, id, problems),
      ...readHistory(folder, problems),
    };
  });
  return {
    tasks,
    projects: readJson(join(home, 'projects.json'), problems) ?? [],
    pool: readJson(join(home, 'workspaces', '.pool.json'), problems)?.workspaces ?? null,
    outbox: readOutbox(home, problems),
    workspaces: names(join(home, 'workspaces')).filter((name) => !name.startsWith('.')),
    problems,
  };
}

/** A hidden folder is a task that is being made: it has a project and a name when it is one. */
export function listTasks(home) {
  const root = join(home, 'tasks');
  return names(root)
    .filter((name) => !name.startsWith('.'))
    .flatMap((project) => names(join(root, project)).map((id) => ({ project, id })));
}

function readTask(folder, id, problems) {
  const path = join(folder, 'TASK.md');
  const text = readText(path);
  const parsed = text === null ? 'there is none' : parseTask(text);
  if (typeof parsed === 'string') {
    problems.push(violation('I6', path, parsed));
    return { fields: {}, text: text ?? '' };
  }
  if (parsed.id !== id) problems.push(violation('I6', path, `has the id ${parsed.id}`));
  return { fields: parsed, text };
}

/** The fields of a TASK.md, or what is wrong with it. */
export function parseTask(text) {
  const lines = text.split('\n');
  if (lines[0] !== '---') return `begins with ${JSON.stringify(lines[0])}`;
  const end = lines.indexOf('---', 1);
  if (end === -1) return 'its frontmatter does not end';
  const fields = {};
  const order = [];
  for (const line of lines.slice(1, end)) {
    const match = /^([A-Za-z_][\w-]*):(?: (.*))?$/.exec(line);
    if (match === null) continue;
    const [, name, value = ''] = match;
    if (Object.hasOwn(fields, name)) return `${name} stands twice`;
    fields[name] = scalar(value);
    order.push(name);
  }
  const missing = FIELDS.find((name, index) => order[index] !== name);
  return missing === undefined ? fields : `${missing} is not in its place: ${order.join(' ')}`;
}

function scalar(text) {
  if (text === 'null') return null;
  if (text.startsWith('"')) return JSON.parse(text);
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  return text;
}

function readHistory(folder, problems) {
  const path = join(folder, 'history.jsonl');
  const text = readText(path);
  if (text === null) {
    problems.push(violation('I6', path, 'there is none'));
    return { events: [], history: '' };
  }
  if (text !== '' && !text.endsWith('\n')) {
    problems.push(violation('I6', path, 'its last line is torn'));
  }
  const events = [];
  for (const [index, line] of text.split('\n').filter(Boolean).entries()) {
    const event = parseJson(line);
    if (typeof event?.type === 'string' && !Number.isNaN(Date.parse(event.timestamp))) {
      events.push(event);
    } else problems.push(violation('I6', path, `${index + 1}: no event: ${line.slice(0, 200)}`));
  }
  return { events, history: text };
}

function readOutbox(home, problems) {
  return outboxFiles(home).flatMap((path) => readJson(path, problems) ?? []);
}

/** The files that hold an entry: an empty one waits for the next. */
export function outboxFiles(home) {
  const folder = join(home, 'run', 'outbox');
  return names(folder)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(folder, name))
    .filter((path) => readText(path) !== '');
}

function readJson(path, problems) {
  const text = readText(path);
  if (text === null) return null;
  const value = parseJson(text);
  if (value === undefined) {
    problems.push(violation('I6', path, `no JSON: ${JSON.stringify(text.slice(0, 80))}`));
  }
  return value ?? null;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readText(path) {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  }
}

export function names(folder) {
  try {
    return existsSync(folder) ? readdirSync(folder).toSorted() : [];
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
