import { TEXT_COUNT } from './texts.mjs';

/** Where people, agents and repositories put words of their own; in each case each gets another text. */
export const FIELDS = [
  'summary',
  'branch',
  'project',
  'context',
  'sections',
  'question',
  'answer',
  'feedback',
  'screen',
  'path',
  'tag',
];

// A number without a divisor in common with that of the texts, so that neighbours differ in kind.
const STRIDE = 17;

/** The texts of one case: over all cases every text stands once in every field. */
export function textsOfCase(texts, number) {
  const given = FIELDS.map((field, index) => [
    field,
    texts[(number + STRIDE * index) % TEXT_COUNT].text,
  ]);
  return Object.fromEntries(given);
}

/** Which text it is, and the fields in which these cases had it. */
export function whereText(textNumber, numbers) {
  const places = numbers.flatMap((number) =>
    FIELDS.filter((_, at) => (number + STRIDE * at) % TEXT_COUNT === textNumber).map(
      (field) => `${field} of case ${number}`,
    ),
  );
  return `text ${textNumber} (${places.join(', ')})`;
}

const LONGEST_BRANCH = 200;

// What the documents promise to refuse, said once more; git is asked about branches besides.
const REFUSED = {
  summary: (text) => text.includes('\0') || text.length > 4096,
  branch: (text) => isUnfitBranch(text),
  project: (text) => !/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(text) || text.includes('..'),
  context: (text) => text.includes('\0'),
  question: (text) => text.includes('\0') || text.length > 64 * 1024,
  answer: (text) => text.includes('\0') || text.length > 64 * 1024,
  feedback: (text) => text.includes('\0') || text.length > 64 * 1024,
  tag: (text) => text.includes('\0') || text.length > 4096,
};

function isUnfitBranch(text) {
  return (
    /^-|^@$|^[A-Z_]*HEAD$|^refs\//.test(text) ||
    Buffer.byteLength(text) > LONGEST_BRANCH ||
    /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text)
  );
}

/** Whether the product has to refuse a text in a field; undefined where it takes any. */
export function isRefused(field, text) {
  return REFUSED[field]?.(text) ?? false;
}

/** What stands in for a text that was refused. */
export function standIn(field, number) {
  return `plain-${field}-${number}`;
}

/** A text as the path of a file: as it is, but for what no path can be. */
export function asPath(text) {
  const names = text
    .toWellFormed()
    .replaceAll('\0', '')
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .map((name) => (name === '..' ? '__' : cutTo(name, 200)));
  return names.join('/') || 'x';
}

function cutTo(name, bytes) {
  return Buffer.from(name).subarray(0, bytes).toString('utf8').replaceAll('\ufffd', '?');
}

/** A text as an agent writes it into a section: further lines are indented, so that none is a heading. */
export function asProse(text) {
  return text.replaceAll('\0', '').replaceAll('\n', '\n   ');
}

/** A text as the labels that `--tag` makes of it. */
export function asTags(text) {
  const labels = text.toWellFormed().split(',');
  return labels.map((label) => label.trim()).filter((label) => label !== '');
}
