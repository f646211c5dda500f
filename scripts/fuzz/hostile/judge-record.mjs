import { parse } from 'yaml';
import { headingsOf, sectionOf } from '../oracle-task.mjs';
import { asTags } from './fields.mjs';
import { isSaidIn } from './forms.mjs';

const HEADINGS = 'Context Questions Answers Plan Handoff Review';
const KEYS =
  'id project branch harness review_harness status review_round crash_count summary workspace tmux_session pr_url created_at updated_at tags';

/** What is wrong with a TASK.md that should say this of these fields; nothing when all is well. */
export function judgeTaskFile(text, { id, status, said }) {
  const lines = text.split('\n');
  const end = lines.indexOf('---', 1);
  const map = parse(lines.slice(1, end).join('\n'), { schema: 'failsafe', maxAliasCount: 0 });
  const body = lines.slice(end + 1);
  return [
    ...differentNames('keys', Object.keys(map), KEYS.split(' ')),
    ...different('id', map.id, id),
    ...different('status', map.status, status),
    ...different('summary', map.summary, said.summary.toWellFormed()),
    ...different('branch', map.branch, said.branch),
    ...different('project', map.project, said.project),
    ...different('tags', map.tags, asTags(said.tag)),
    ...differentNames('headings', headingsOf(body), HEADINGS.split(' ')),
    ...missingIn('Context', said.context, sectionOf(body, 'Context')),
    ...missingIn('Questions', said.question, sectionOf(body, 'Questions')),
    ...missingIn('Answers', said.answer, sectionOf(body, 'Answers')),
    ...missingIn('Plan', said.sections, sectionOf(body, 'Plan')),
    ...missingIn('Handoff', said.sections, sectionOf(body, 'Handoff')),
    ...missingIn('Review', said.feedback, sectionOf(body, 'Review')),
  ];
}

function missingIn(section, text, lines) {
  return isSaidIn(text, lines.join('\n')) ? [] : [`${section} does not say what was said`];
}

/** One complaint when two values differ, however they are made up. */
export function different(name, found, wanted) {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  return is === should ? [] : [`${name} is ${clip(is)}, not ${clip(should)}`];
}

/** The same for names in any order. */
export function differentNames(name, found, wanted) {
  const [is, should] = [found, wanted].map((names) => Array.from(names, String).toSorted());
  return different(name, is, should);
}

function clip(text) {
  return text === undefined || text.length <= 200 ? String(text) : `${text.slice(0, 200)}…`;
}

const LONGEST_PASTE = 4000;
const MOVES = [
  'pending planning',
  'planning clarification',
  'clarification planning',
  'planning working',
  'working agent-review',
  'agent-review reviewing',
  'reviewing working',
  'working stuck',
  'stuck reviewing',
  'reviewing done',
];

/** What is wrong with the history of a task that went its way and was told these words. */
export function judgeHistory(text, { id, said }) {
  const events = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const of = (type) => events.filter((event) => event.type === type);
  const moves = events
    .filter(({ type }) => type === 'status.changed' || type === 'auto.advanced')
    .map(({ from, to }) => `${from} ${to}`);
  const [made] = of('task.created');
  const answer = said.answer.length > LONGEST_PASTE ? null : said.answer;
  const [answered] = of('question.answered');
  return [
    ...different('moves', moves, MOVES),
    ...different(
      'task',
      [made?.task_id, made?.project, made?.branch],
      [id, said.project, said.branch],
    ),
    ...different('answer', answered?.text?.toWellFormed() ?? null, answer?.toWellFormed() ?? null),
    ...different('rejected edits', of('frontmatter.rejected').length, 0),
    ...different('restored Context', of('context.restored').length, 0),
  ];
}

/** What is wrong with the daemon's log: each line is one event and nothing else. */
export function judgeLog(text) {
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const event = readJson(line)?.event;
      return typeof event === 'string' && /^[a-z.-]+$/.test(event) ? [] : [`no event: ${line}`];
    });
}

/** The value of a JSON text, or null when it is none. */
export function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What is wrong with what an intent, a mark or an end is kept in: each file is JSON or empty. */
export function judgeRunFiles(files) {
  return files.flatMap(({ name, text }) => {
    if (!/^[A-Za-z0-9._~-]+$/.test(name)) return [`a file is called ${JSON.stringify(name)}`];
    const isJson = /\.(?:pid|exit|json)$/.test(name);
    return isJson && text !== '' && readJson(text) === null ? [`${name} is no JSON`] : [];
  });
}
