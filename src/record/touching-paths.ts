/** The files and areas that a TOUCHING field names, in its order, each once. */
export function touchingPaths(field: string): readonly string[] {
  const names = splitList(field)
    .filter((part) => part.length <= MAX_PART)
    .slice(0, MAX_PARTS)
    .flatMap(namesIn)
    .map((name) => name.replace(/^(?:\.\/)+(?=.)/, '').trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

const MAX_PARTS = 1000;
const MAX_PART = 2000;

/** The parts between commas and line ends; a comma inside braces belongs to a glob. */
function splitList(field: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let isInBraces = false;
  for (let at = 0; at < field.length; at += 1) {
    const character = field[at];
    const isLineEnd = character === '\n' || character === '\r';
    if (isLineEnd || (character === ',' && !isInBraces)) {
      parts.push(field.slice(start, at));
      start = at + 1;
    }
    if (character === '{') isInBraces = true;
    if (character === '}' || isLineEnd) isInBraces = false;
  }
  return [...parts, field.slice(start)];
}

/** What stands between backticks, or the whole without a bullet and without what is said about it. */
function namesIn(part: string): readonly string[] {
  const text = part.trim().replace(/^[-*+][ \t]+/, '');
  const quoted = Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name);
  return quoted.length > 0 ? quoted : [text.replace(REMARK, '')];
}

const REMARK = /(?:[ \t]\(|:[ \t]|[ \t][–—-][ \t]|[ \t]#[ \t]).*$/s;
