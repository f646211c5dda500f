import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { awaitState } from '../chaos/wait.mjs';
import { poolInput, projectsInput, settingsInput, socketInput, taskInput } from './inputs.mjs';
import { gibberish } from './mutate.mjs';

const LOOK_LIMIT_MS = 15_000;
const BACK_LIMIT_MS = 3000;
/** How long a settings file must have been quiet before anybody reads it, and a little more. */
const QUIET_MS = 300;
const LONGEST = 200_000;

/**
 * What is done to a running daemon. Each does its harm and gives how to undo it, how to know that the
 * daemon has looked at it (true once it has), and what stands in TASK.md then, where that is its own.
 */
export const STRIKES = {
  'a torn TASK.md': ({ place, id, random, canary }) =>
    strikeTask(place, id, {
      text: tornTask(random, canary),
      hasLooked: ({ problems }) => problems.length > 0,
    }),
  'a hostile body in TASK.md': ({ place, id, random, canary, number }) =>
    strikeTask(place, id, {
      text: marked(place, id, { number, body: hostileBody(random, canary) }),
      hasLooked: isMarked(number),
    }),
  'hostile values in TASK.md': ({ place, id, random, number }) =>
    strikeTask(place, id, {
      text: marked(place, id, { number, lines: hostileLines(random) }),
      hasLooked: (view) => isMarked(number)(view) || view.problems.length > 0,
    }),
  'a damaged projects.json': ({ place, random }) =>
    strikeSettings(place, 'projects.json', projectsInput(random)),
  'a damaged config.yaml': ({ place, random }) =>
    strikeSettings(place, 'config.yaml', settingsInput(random)),
  'a damaged .pool.json': ({ place, random }) => strikePool(place, random),
  'garbage on the socket': async ({ place, random }) => {
    await shout(place.socket, socketInput(random).replaceAll('stop', 'step'));
    return { undo: () => undefined, hasLooked: () => true };
  },
};

function strikeTask(place, id, { text, hasLooked }) {
  const undo = replaceFor(place.taskFile(id), text);
  const shows = (isIt) => async () => {
    const { result } = await place.daemon.client.call({ method: 'snapshot' });
    const view = result?.tasks.find(({ fields }) => fields.id === id);
    return view !== undefined && isIt(view);
  };
  return {
    text,
    hasLooked: () => awaitIn(place, shows(hasLooked)),
    // Two writers at once are for other tests: the next one waits until this one is over.
    undo: async () => {
      undo();
      await awaitState(shows(isPlain), BACK_LIMIT_MS);
    },
  };
}

function isPlain({ problems, extensions }) {
  return problems.length === 0 && extensions.fuzz_mark === undefined;
}

/** Both files are read before any order is carried out, once they have been quiet. */
function strikeSettings(place, name, text) {
  const undo = replaceFor(join(place.home, name), text);
  const since = performance.now();
  const looked = async () => {
    const isQuiet = performance.now() - since > QUIET_MS;
    const order = { kind: 'task.cancel', taskId: 'nobody', reason: null };
    const { failure } = await place.daemon.client.submit(order);
    return isQuiet && failure !== undefined;
  };
  return { undo, hasLooked: () => awaitIn(place, looked) };
}

/** Nobody watches the pool file: a daemon reads it where it has to, and when it starts. */
function strikePool(place, random) {
  const undo = replaceFor(join(place.home, 'workspaces/.pool.json'), poolInput(random));
  const looked = async () => {
    const { result } = await place.daemon.client.call({ method: 'doctor' });
    return Array.isArray(result);
  };
  const restart = async () => {
    await place.daemon.end('SIGKILL');
    return (await place.daemon.start()) && looked();
  };
  return { undo, hasLooked: random.chance(0.5) ? restart : () => awaitIn(place, looked) };
}

async function awaitIn(place, looked) {
  const isOver = async () => !place.daemon.isRunning || (await looked());
  return (await awaitState(isOver, LOOK_LIMIT_MS)) === true && place.daemon.isRunning;
}

/** Frontmatter that no reader accepts: its closing line is gone. */
function tornTask(random, canary) {
  const text = taskInput(random, canary).replaceAll(/^---[ \t]*\r?$/gm, '--');
  return `--\n${text}`.slice(0, LONGEST);
}

/** The task's own file with a mark that a reader must have read, further lines, and another body. */
function marked(place, id, { number, lines = [], body = null }) {
  const text = readFileSync(place.taskFile(id), 'utf8');
  const end = text.indexOf('\n---\n', 4);
  const own = text.slice(0, end).split('\n');
  const names = new Set(lines.map(nameOf));
  const kept = own.filter((line) => !names.has(nameOf(line)));
  const whole = [...kept, ...lines, `fuzz_mark: m${number}`].join('\n');
  return `${whole}\n---\n${body ?? text.slice(end + 5)}`;
}

function isMarked(number) {
  return ({ extensions }) => extensions.fuzz_mark === `m${number}`;
}

/** Text without a section that would rightly move a task. */
function hostileBody(random, canary) {
  const text = random.chance(0.5) ? taskInput(random, canary) : gibberish(random, 300);
  return text
    .replaceAll(/DONE|REMAINING|DECISIONS|UNCERTAIN|Verdict/gi, 'x')
    .replaceAll('\0', '')
    .toWellFormed()
    .slice(0, LONGEST);
}

const HOSTILE_LINES = [
  'crash_count: -1',
  'review_round: 99999999999999999999',
  'status: "\\e[31mworking"',
  'status: reviewing',
  'summary: "$(touch canary) `touch canary` ; #{pane_pid}"',
  `summary: ${'x'.repeat(50_000)}`,
  'workspace: ../../../../etc',
  'workspace: null',
  'tmux_session: "=nobody:0.0"',
  'branch: --force',
  'harness: /bin/sh',
  'project: zoo',
  'id: ../../passwd',
  'updated_at: yesterday',
  'created_at: 999999-01-01T00:00:00Z',
  '__proto__: { polluted: yes }',
  'constructor: [a, b]',
  'blocked_by: [[[[[[]]]]]]',
  'priority: { a: { b: { c: 1e999 } } }',
  'pr_url: "javascript:alert(1)"',
];

function hostileLines(random) {
  const lines = random.shuffle(HOSTILE_LINES).slice(0, 1 + random.below(3));
  return lines.filter(
    (line, at) => lines.findIndex((each) => nameOf(each) === nameOf(line)) === at,
  );
}

function nameOf(line) {
  return line.slice(0, line.indexOf(':'));
}

/** Puts a text in the place of a file; gives how to put back what was there. */
function replaceFor(path, text) {
  const before = readFileSync(path, 'utf8');
  const replace = (content) => {
    writeFileSync(`${path}.fuzz`, content);
    renameSync(`${path}.fuzz`, path);
  };
  replace(text);
  return () => replace(before);
}

function shout(socket, text) {
  return new Promise((resolve) => {
    const client = createConnection({ path: socket });
    client.on('error', () => resolve());
    client.on('data', () => undefined);
    client.end(text, () => resolve());
  });
}
