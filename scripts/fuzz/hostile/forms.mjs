// What a terminal obeys or hides, and what may not reach it: all but line breaks and tabs.
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]|\p{Surrogate}/u;

/** The first character that may not reach a terminal, by its name, or null. */
export function findForbidden(text) {
  const found = FORBIDDEN.exec(text)?.[0];
  return found === undefined ? null : nameOf(found);
}

function nameOf(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Whether a text consists of what any terminal shows as it is. */
export function isPlain(text) {
  return findForbidden(text) === null && !/[\ue000-\ue00f]/.test(text);
}

/** Whether a text stands in another, as it is or cleaned of what steers a terminal. */
export function isSaidIn(text, whole) {
  const all = coreOf(whole);
  return formsOf(text).some((form) => all.includes(coreOf(form)));
}

function formsOf(text) {
  const written = text.toWellFormed();
  const bare = withoutSequences(written);
  return [
    written,
    withoutControls(written),
    withoutControls(bare),
    withoutControls(unpasted(text)),
  ];
}

// Indentation, quotation marks and the level of a heading are how a text is set, not what it says.
function coreOf(text) {
  return text.replace(/[\s#>]+/g, '');
}

function withoutControls(text) {
  return text.replace(/[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu, '');
}

function unpasted(text) {
  // oxlint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/(?:\u001b\[|\u009b)20[01]~/g, '');
}

/** Walks over a text as a terminal would, and leaves out what it would obey. */
function withoutSequences(text) {
  let kept = '';
  for (let at = 0; at < text.length; ) {
    const length = sequenceAt(text, at);
    if (length === 0) kept += text[at];
    at += Math.max(1, length);
  }
  return kept;
}

const STRING_STARTS = new Set([']', 'P', 'X', '^', '_']);
const C1_STRINGS = new Set(['\u009d', '\u0090', '\u0098', '\u009e', '\u009f']);

function sequenceAt(text, at) {
  const [first, second = ''] = [text[at], text[at + 1]];
  if (C1_STRINGS.has(first)) return endOfString(text, at + 1) - at;
  if (first === '\u009b') return endOfControl(text, at + 1) - at;
  if (first !== '\u001b') return 0;
  if (STRING_STARTS.has(second)) return endOfString(text, at + 2) - at;
  if (second === '[') return endOfControl(text, at + 2) - at;
  return /[ -~]/.test(second) ? 2 : 1;
}

function endOfString(text, from) {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\n') return at;
    if (text[at] === '\u0007' || text[at] === '\u009c') return at + 1;
    if (text[at] === '\u001b') return text[at + 1] === '\\' ? at + 2 : at;
  }
  return text.length;
}

function endOfControl(text, from) {
  let at = from;
  while (at < text.length && /[ -?]/.test(text[at])) at += 1;
  return at < text.length && /[@-~]/.test(text[at]) ? at + 1 : at;
}
