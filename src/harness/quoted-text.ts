/** A text by someone else as a quotation: each line marked, control characters left out. */
export function quoted(text: string): string {
  const lines = cleaned(text).trim().split('\n');
  return lines.map((line) => `> ${line}`.trimEnd()).join('\n');
}

/** A text as one word of a POSIX shell, for commands that an agent is told to run. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// An escape sequence could end the terminal's paste early and turn text into key presses; a
// direction override could make it read differently from what it is.
function cleaned(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '');
}
