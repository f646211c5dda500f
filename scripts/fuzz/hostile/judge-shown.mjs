import { asTags } from './fields.mjs';
import { findForbidden, isPlain, isSaidIn } from './forms.mjs';
import { different, readJson } from './judge-record.mjs';

// As long as a text is cut where lines are short.
const SHOWN = 40;

/** What is wrong with a text on its way to a terminal that should show these words. */
export function judgeTerminal(output, words = {}) {
  const forbidden = findForbidden(output);
  return [
    ...(forbidden === null ? [] : [`lets ${forbidden} through`]),
    ...Object.entries(words)
      .filter(([, text]) => isPlain(text) && !isSaidIn(text.slice(0, SHOWN), output))
      .map(([field]) => `does not show the ${field}`),
  ];
}

/** What is wrong with a task as JSON. */
export function judgeJson(output, { id, said }) {
  const value = readJson(output);
  if (value === null) return ['is no JSON'];
  const { sections = {} } = value;
  return [
    ...judgeTerminal(output),
    ...different('id', value.id, id),
    ...different('summary', value.summary, said.summary.toWellFormed()),
    ...different('branch', value.branch, said.branch),
    ...different('project', value.project, said.project),
    ...different('tags', value.tags, asTags(said.tag)),
    ...['Context', 'Questions', 'Answers', 'Plan', 'Review'].flatMap((name, index) => {
      const field = ['context', 'question', 'answer', 'sections', 'feedback'][index];
      return isSaidIn(said[field], sections[name] ?? '') ? [] : [`${name} is not the ${field}`];
    }),
  ];
}

// Colours, the cursor, erasing, and the modes that a program of the whole screen sets; a notice may
// ring. Anything else steers the terminal.
const STEERING =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[[0-9;]*[ABCDGHJKm]|\u001b\[\?(?:7|25|1004|1049|2004|2026)[hl]|\u001b\[>[0-9]*[mu]|\u001b\[<u|\u001b\]9;([^\u0000-\u001f\u007f-\u009f]*)\u001b\\\u0007|\r/gu;

/** What is wrong with the bytes that a program wrote to its terminal, which should show these words. */
export function judgeScreenStream(bytes, words = {}) {
  const shown = bytes.replace(STEERING, (_whole, notice = '') => notice);
  return judgeTerminal(shown, words);
}

/** What is wrong with what a kept screen says. */
export function judgeTranscript(text, { said }) {
  return judgeTerminal(text, isOnOneScreen(said.screen) ? { screen: said.screen } : {});
}

// Backslashes and percent signs mean nothing to a terminal, a long text scrolls away.
function isOnOneScreen(text) {
  return text.length < 1000 && !text.includes('\n');
}

/** What is wrong with the environment of a notice. */
export function judgeNotice(variables, words = {}) {
  const { ORANGE_NOTICE_TITLE: title, ORANGE_NOTICE_TEXT: text } = variables;
  return judgeTerminal(`${title}\n${text}`, words).concat(
    /[\n\t]/.test(`${title}${text}`) ? ['has more than one line'] : [],
  );
}
