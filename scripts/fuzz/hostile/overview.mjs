import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { awaitState } from '../../chaos/wait.mjs';
import { judgeLog, judgeRunFiles, readJson } from './judge-record.mjs';
import { judgeScreenStream, judgeTerminal } from './judge-shown.mjs';
import { judgeTold } from './notices.mjs';
import { readFolder } from './scene.mjs';

const LISTS = [
  ['ls', '--all'],
  ['inbox', '--all'],
  ['next', '--explain'],
  ['task', 'list', '--all'],
];
const LIMIT_MS = 60_000;

/** What lists of all tasks show at this moment, to people and as JSON. */
export async function lookAtLists(place) {
  const problems = [];
  for (const args of LISTS) {
    const [shown, bytes, json] = await Promise.all([
      place.orange(args),
      place.terminals.run([process.execPath, place.program, ...args]),
      place.orange([...args, '--json']),
    ]);
    const wrong = [
      ...judgeTerminal(shown.stdout + shown.stderr),
      ...judgeScreenStream(bytes),
      ...judgeTerminal(json.stdout),
      ...(readJson(json.stdout) === null ? ['is no JSON'] : []),
    ];
    problems.push(
      ...wrong.map((problem) => ({ sink: 'terminal', problem: `${args[0]} ${problem}` })),
    );
  }
  return problems;
}

/** The dashboard in a terminal of its own, where it stays for as long as there are tasks. */
export async function openDashboard({ terminals, program }) {
  const terminal = await terminals.open([process.execPath, program, '--all']);
  const isDrawn = () => terminal.bytes() !== '';
  if ((await awaitState(isDrawn, LIMIT_MS)) === undefined) throw new Error('no dashboard');
  return { judge: () => judgeDashboard(terminal.bytes()) };
}

function judgeDashboard(bytes) {
  const isSeen = /reviewing|clarification|working/.test(bytes);
  const wrong = judgeScreenStream(bytes).concat(isSeen ? [] : ['shows no task']);
  return told('terminal', wrong).map((each) => ({
    ...each,
    problem: `the dashboard ${each.problem}`,
  }));
}

const PLAIN = /^[A-Za-z0-9._~-]+$/;

/** What is left in the home when all is over: its log, its notices, its intents, and every name in it. */
export function lookAtHome({ root, home }) {
  const outbox = readFolder(join(home, 'run', 'outbox')).filter(({ text }) => text !== '');
  const logs = readFolder(home).filter(({ name }) => name.endsWith('.log'));
  return [
    ...logs.flatMap(({ text }) => told('log', judgeLog(text))),
    ...told('notice', judgeTold(root)),
    ...told('run', judgeRunFiles(readFolder(join(home, 'run', 'own-edits')))),
    ...told(
      'run',
      outbox.map(({ name }) => `the intent ${name} is still owed`),
    ),
    ...told(
      'run',
      strangeNames(home).map((path) => `there is a file ${JSON.stringify(path)}`),
    ),
  ];
}

const told = (sink, wrong) => wrong.map((problem) => ({ sink, problem }));

/** Names in the home that no text may bring about; what is in worktrees is the repositories' own. */
function strangeNames(home) {
  const names = (folder) =>
    readdirSync(join(home, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (!PLAIN.test(entry.name)) return [path];
      return entry.isDirectory() && folder !== 'workspaces' ? names(path) : [];
    });
  return names('');
}
