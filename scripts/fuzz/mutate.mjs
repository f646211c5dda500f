// Pieces that mean something to one of the readers, or to a terminal.
const PIECES = [
  [
    '---',
    '---js',
    '--- javascript',
    '...',
    '\n---\n',
    '\n',
    '\r',
    '\r\n',
    '\u2028',
    '\u0085',
    '\ufeff',
  ],
  [
    ': ',
    '- ',
    '? ',
    ' #',
    '[',
    ']',
    '{',
    '}',
    ',',
    '&a ',
    '*a',
    '!!js/function ',
    '|',
    '>',
    '%YAML 1.2',
  ],
  [
    '"',
    "'",
    '\\',
    '\\u0000',
    '\\"',
    '`',
    '```',
    '~~~',
    '## ',
    '## Plan\n',
    '## Handoff\n',
    '## Review\n',
  ],
  ['APPROACH: x', 'DONE: y', 'Verdict: PASS', 'Verdict: FAIL', 'status: done', 'status: working'],
  [
    'null',
    'true',
    '0',
    '-1',
    '1e999',
    '9'.repeat(30),
    '__proto__',
    'constructor',
    'toString',
    '<<: *a',
  ],
  [
    '\0',
    '\u0007',
    '\u001b[31m',
    '\u001b]52;c;AAAA\u0007',
    '\u001b]8;;x',
    '\u001bP',
    '\u009b2J',
    '\u202e',
  ],
  [
    '\ud800',
    '\udc00',
    '\u{1f600}',
    '\u00e9',
    '\u200b',
    '\t',
    '   ',
    ' '.repeat(70),
    '{"type":"',
    '}\n{',
  ],
].flat();

/** The text with a few random wounds. */
export function mutate(random, text, most = 6) {
  let result = text;
  const wounds = 1 + random.below(most);
  for (let wound = 0; wound < wounds; wound += 1) {
    result = random.pick(WOUNDS)(random, result);
    if (result.length > LONGEST) result = result.slice(0, LONGEST);
  }
  return result;
}

const LONGEST = 300_000;

const WOUNDS = [
  (random, text) => splice(text, random.below(text.length + 1), 0, random.pick(PIECES)),
  (random, text) => splice(text, random.below(text.length + 1), random.below(30), ''),
  (random, text) => splice(text, random.below(text.length + 1), 1, random.pick(PIECES)),
  (random, text) => splice(text, random.below(text.length + 1), 1, anyCharacter(random)),
  (random, text) => text.slice(0, random.below(text.length + 1)),
  (random, text) => text.slice(random.below(text.length + 1)),
  (random, text) => text + text.slice(random.below(text.length + 1)),
  (random, text) => random.shuffle(text.split('\n')).join('\n'),
  (random, text) => withLine(random, text, (line) => `${line}\n${line}`),
  (random, text) => withLine(random, text, () => random.pick(PIECES)),
  (random, text) => withLine(random, text, (line) => `  ${line}`),
  (random, text) => text.replaceAll('\n', random.pick(['\r\n', '\r', '\n\n', ' \n', '\n'])),
  (random, text) => {
    const piece = random.pick(PIECES).repeat(1 + random.below(random.chance(0.05) ? 4000 : 20));
    return splice(text, random.below(text.length + 1), 0, piece);
  },
];

function splice(text, at, cut, piece) {
  return text.slice(0, at) + piece + text.slice(at + cut);
}

function withLine(random, text, change) {
  const lines = text.split('\n');
  const number = random.below(lines.length);
  return lines.with(number, change(lines[number])).join('\n');
}

function anyCharacter(random) {
  const limit = random.pick([0x20, 0xa0, 0x3000, 0x10000]);
  return String.fromCharCode(random.below(limit));
}

/** Text of random pieces, with no sense in it. */
export function gibberish(random, most = 60) {
  const pieces = Array.from({ length: random.below(most) }, () =>
    random.chance(0.3) ? anyCharacter(random) : random.pick(PIECES),
  );
  return pieces.join('');
}
