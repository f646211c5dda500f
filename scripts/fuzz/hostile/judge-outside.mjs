import { isSaidIn } from './forms.mjs';
import { different, differentNames } from './judge-record.mjs';

const SESSION = /^[A-Za-z0-9_][A-Za-z0-9/_-]*$/;
const WINDOWS = ['worker', 'review-1'];

/** What is wrong with the windows of a task, each `session TAB window TAB command`. */
export function judgeWindows(rows, session) {
  const own = rows.map((row) => row.split('\t')).filter(([name]) => name === session);
  return [
    ...(SESSION.test(session) ? [] : [`the session is called ${session}`]),
    ...(own.length === 0 ? ['there is no session'] : []),
    ...rows.filter((row) => row.split('\t').length !== 3).map((row) => `a window is ${row}`),
    ...own.flatMap(([, window, command]) => [
      ...(WINDOWS.includes(window) ? [] : [`a window is called ${window}`]),
      ...(/^"?\/bin\/sh\b/.test(command) ? [] : [`a window runs ${command}`]),
    ]),
  ];
}

// After these, an argument is a value whatever it begins with.
const VALUES_FOLLOW = new Set(['-m', '-F', '-n', '-s', '-b']);

/** What is wrong with the arguments of a program: texts that it would take for an option or a command. */
export function judgeCall(argv, watch) {
  const values = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.flatMap((argument, index) => {
    if (!argument.includes(watch)) return [];
    const isOption =
      argument.startsWith('-') && index < values && !VALUES_FOLLOW.has(argv[index - 1]);
    const isCommand = argv[0] === 'tmux' && /(?<!\\);$/.test(argument);
    const call = argv.map((each) => each.slice(0, 200)).join(' ');
    return isOption || isCommand ? [`a text is an argument of its own kind in: ${call}`] : [];
  });
}

/** What is wrong with a prompt as its agent had it: as an argument, in its file, and in orange's own. */
export function judgePrompt({ argument, read, kept }, { file, words }) {
  const isWhole = Buffer.byteLength(read) <= 100 * 1024;
  return [
    ...(read === kept ? [] : ['the agent read another prompt than was kept']),
    ...(isWhole && argument !== read ? ['the argument is not the prompt'] : []),
    ...(!isWhole && !argument.includes(file) ? ['the argument names no file'] : []),
    ...Object.entries(words)
      .filter(([, text]) => !isSaidIn(text, read))
      .map(([field]) => `the prompt does not say the ${field}`),
  ];
}

const START = '\u001b[200~';
const END = '\u001b[201~';

/** What is wrong with what was typed into a terminal that marks pastes: one of them, then Return. */
export function judgeTyped(typed, words) {
  const [before, ...pastes] = typed.split(START);
  const [pasted = '', ...after] = (pastes[0] ?? '').split(END);
  return [
    ...different('the number of pastes', [pastes.length, after.length], [1, 1]),
    // A terminal answers what a screen asks of it before anything is pasted.
    ...(/[\r\n]/.test(before) ? ['something was typed before the paste'] : []),
    ...(/^\r+$/.test(after.join('')) ? [] : ['something was typed after the paste']),
    ...(/[^\P{Cc}\r\t]/u.test(pasted) ? ['the paste has a control character'] : []),
    ...Object.entries(words)
      .filter(([, text]) => !isSaidIn(text, pasted))
      .map(([field]) => `the paste does not say the ${field}`),
  ];
}

const ORANGE_VARIABLES =
  'HOME TASK_ID TASK_FILE PROJECT BRANCH WORKSPACE SLOT ROLE REVIEW_ROUND LAUNCH_ID'
    .split(' ')
    .map((name) => `ORANGE_${name}`);
const OF_THE_PANE = ['PWD', 'TERM', 'SHLVL', '_', 'LINES', 'COLUMNS', 'OLDPWD'];

/** What is wrong with the environment of an agent. */
export function judgeEnvironment(variables, { id, said, inherited }) {
  const known = new Set([...ORANGE_VARIABLES, ...OF_THE_PANE, ...inherited]);
  const { ORANGE_TASK_ID, ORANGE_BRANCH, ORANGE_PROJECT } = variables;
  return [
    ...Object.keys(variables)
      .filter((name) => !known.has(name))
      .map((name) => `knows a variable ${name}`),
    ...different(
      'facts',
      [ORANGE_TASK_ID, ORANGE_BRANCH, ORANGE_PROJECT],
      [id, said.branch, said.project],
    ),
  ];
}

/** What is wrong with what a merge left in the repository. */
export function judgeRepository({ message, paths, refs, settings, wantedSettings }, { id, said }) {
  const lines = message.trimEnd().split('\n');
  const strange = refs.filter((ref) => ref !== 'refs/heads/main' && !isOwn(ref, id));
  return [
    ...different('the last line of the commit', lines.at(-1), `Orange-Task: ${id}`),
    ...(isSaidIn(said.summary, message) ? [] : ['the commit does not say the summary']),
    ...differentNames('the files', paths, ['README.md', said.path]),
    ...strange.map((ref) => `there is a ref ${ref}`),
    ...different('the settings', settings, wantedSettings),
  ];
}

function isOwn(ref, id) {
  return /^refs\/orange\/[A-Za-z0-9/_.-]+$/.test(ref) && ref.includes(id);
}
