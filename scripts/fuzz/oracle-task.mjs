import { parse } from 'yaml';

// The rules of docs/file-formats.md and docs/task-states.md once more, and shorter: no line of src/ is
// used here. YAML itself is left to its library.
const MOST_BYTES = 256 * 1024;
const WANTED = {
  Plan: ['APPROACH', 'TOUCHING'],
  Handoff: ['DONE', 'REMAINING', 'DECISIONS', 'UNCERTAIN'],
};
const FIELDS = { Plan: [...WANTED.Plan, 'RISKS'], Handoff: WANTED.Handoff };

/** What a file must have, beside being readable, before it may bring a task from one status to another. */
const NEEDS = {
  'planning working': hasFields('Plan'),
  'planning clarification': isAskedFor,
  'planning stuck': isAskedFor,
  'working agent-review': hasFields('Handoff'),
  'working reviewing': hasFields('Handoff'),
  'working clarification': isAskedFor,
  'working stuck': isAskedFor,
  'agent-review reviewing': hasVerdict('PASS'),
  'agent-review working': hasVerdict('FAIL'),
  'agent-review stuck': (file, to) =>
    hasVerdict('FAIL')(file, to) === null ? null : isAskedFor(file, to),
};

/** Why a TASK.md may not move a task of this id and project from one status to another, or null. */
export function refuseMove(text, { from, to, id, project }) {
  const file = readFile(text);
  if (file === null) return 'by a file that cannot be read';
  // Where the file does not say whose it is, its folder does.
  const isIts = (file.id ?? id) === id && (file.project ?? project) === project;
  if (!isIts) return 'by the file of another task';
  const isAsked = [from, to, DETOURS[`${from} ${to}`]].includes(file.status);
  if (!isAsked) return `by a file that says ${file.status}`;
  const needs = NEEDS[`${from} ${to}`];
  return needs === undefined ? 'which is no move of an agent' : needs(file, to);
}

// Who asks for a reviewer and can have none gets a person.
const DETOURS = { 'working reviewing': 'agent-review' };

function isAskedFor({ status }, to) {
  return status === to ? null : 'which the file does not ask for';
}

function hasVerdict(word) {
  return ({ body }) => {
    const first = sectionOf(body, 'Review').find((line) => line.trim() !== '') ?? '';
    const isSo = new RegExp(`^verdict: ${word}[ \\t]*$`, 'i').test(first);
    return isSo ? null : `without the verdict ${word}`;
  };
}

function hasFields(name) {
  return ({ body }) => {
    let field = null;
    for (const { line, isFenced } of withFences(sectionOf(body, name))) {
      const own = isFenced ? undefined : FIELDS[name].find((each) => line.startsWith(`${each}:`));
      if (own !== undefined) field = own;
      const rest = own === undefined ? line : line.slice(own.length + 1);
      if (WANTED[name].includes(field) && rest.trim() !== '') return null;
    }
    return `without a valid ${name}`;
  };
}

/** Status, name and body of a file; null when its frontmatter is not closed or is no YAML map. */
function readFile(text) {
  if (Buffer.byteLength(text) > MOST_BYTES || text.includes('\0')) return null;
  const lines = linesOf(text.replace(/^\uFEFF/, ''));
  const end = lines.indexOf('---', 1);
  if (lines[0] !== '---' || end === -1) return null;
  const map = readYaml(lines.slice(1, end).join('\n'));
  if (map === null) return null;
  const field = (name) => (['', 'null', '~'].includes(map[name]) ? undefined : map[name]);
  return {
    id: field('id'),
    project: field('project'),
    status: field('status') ?? 'pending',
    body: lines.slice(end + 1),
  };
}

function readYaml(text) {
  try {
    const map = parse(text, { schema: 'failsafe', uniqueKeys: true, maxAliasCount: 0 });
    return typeof map === 'object' && !Array.isArray(map) ? map : null;
  } catch {
    return null;
  }
}

/** The lines of the first section of that name, which ends at the next heading of its level. */
export function sectionOf(body, name) {
  const lines = [...withFences(body)];
  const start = lines.findIndex((each) => isHeading(each) && titleOf(each.line) === name);
  if (start === -1) return [];
  const length = lines.slice(start + 1).findIndex(isHeading);
  const end = length === -1 ? lines.length : start + 1 + length;
  return lines.slice(start + 1, end).map(({ line }) => line);
}

/** The titles of level 2 outside code fences, in the order of the lines. */
export function headingsOf(body) {
  const headings = [...withFences(body)].filter((each) => isHeading(each));
  return headings.map(({ line }) => titleOf(line));
}

function isHeading({ line, isFenced }) {
  return !isFenced && /^##[ \t]/.test(line);
}

function titleOf(line) {
  return line
    .slice(2)
    .trim()
    .replace(/(?<=[ \t])#+$/, '')
    .trim();
}

/** Each line, and whether it stands in a code fence or is one. */
function* withFences(lines) {
  let open = null;
  for (const line of lines) {
    const [, mark, rest] = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
    const isFence = mark !== undefined;
    if (open === null && isFence && !(mark[0] === '`' && rest.includes('`'))) {
      open = mark;
      yield { line, isFenced: true };
    } else {
      yield { line, isFenced: open !== null };
      const closes = isFence && open !== null && mark.startsWith(open) && /^[ \t]*$/.test(rest);
      if (closes) open = null;
    }
  }
}

function linesOf(text) {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}
