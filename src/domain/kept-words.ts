/** The name under which words are kept that could not stay in TASK.md; no two moments share one. */
export function keptWordsName(stem: string, timestamp: string): string {
  return `${stem}-${timestamp.replace(/[^0-9]/g, '')}.md`;
}

/** Whether a transcript holds words that could not stay in TASK.md. */
export function isKeptWords(name: string): boolean {
  return /^(late-edit|unreadable)-.+\.md$|-\d{17}\.md$/.test(name);
}
