import { Lexer } from 'yaml';

/** What makes a YAML text costly or dangerous to hand to a parser. */
export type YamlHazard = {
  readonly kind: 'alias' | 'depth' | 'brackets' | 'size';
  readonly line: number;
};

const MAX_FLOW_DEPTH = 8;
const MAX_INDICATORS_IN_ROW = 8;
const MAX_INDENT = 64;
// What the lexer yields before the text of a plain or block scalar.
const SCALAR_MARK = '\u001F';

/**
 * Looks at tokens only, in linear time. The parser itself is recursive: 8,000 nested `- ` end the
 * whole process in V8, beyond any catch, and 12,000 tokens hold the event loop for 50 to 200 ms.
 */
export function findYamlHazard(text: string, maxTokens: number): YamlHazard | null {
  const scan = { line: 1, flow: 0, indicators: 0, lastMark: '' };
  let tokens = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > maxTokens) return { kind: 'size', line: scan.line };
    const kind = isScalar ? null : hazardOf(token, scan);
    if (kind !== null) return { kind, line: scan.line };
    isScalar = !isScalar && token === SCALAR_MARK;
    scan.line += token.split('\n').length - 1;
  }
  return null;
}

type Scan = { flow: number; indicators: number; lastMark: string };

function hazardOf(token: string, scan: Scan): YamlHazard['kind'] | null {
  if (/^[&*!]/.test(token)) return 'alias';
  const isIndent = token.startsWith(' ') && scan.indicators === 0;
  if (isIndent && token.length > MAX_INDENT) return 'depth';
  if (isStray(token, scan)) return 'brackets';
  countNesting(token, scan);
  return scan.flow > MAX_FLOW_DEPTH || scan.indicators > MAX_INDICATORS_IN_ROW ? 'depth' : null;
}

// Each stray mark becomes an error with a stack trace in the parser: thousands of them take long.
function isStray(token: string, scan: Scan): boolean {
  if (token.trim() === '') return false;
  const isSeparator = token === ',' || (token === ':' && scan.flow > 0);
  const isDoubled = isSeparator && token === scan.lastMark;
  scan.lastMark = token;
  return isDoubled || (/^[\]}]/.test(token) && scan.flow === 0);
}

function countNesting(token: string, scan: Scan): void {
  if (/^[[{]/.test(token)) scan.flow += 1;
  else if (/^[\]}]/.test(token)) scan.flow -= 1;
  else if (/^\r?\n/.test(token)) scan.indicators = 0;
  else if (/^[-?:]/.test(token) && scan.flow === 0) scan.indicators += 1;
}
