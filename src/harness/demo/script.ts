import { sectionOf } from './task-text.js';

/** What the demo agent shall play, as lines like `demo: fail-once` in Context ask for. */
export type Script = {
  readonly isFast: boolean;
  readonly asks: boolean;
  readonly crashes: 'never' | 'once' | 'always';
  readonly fails: 'never' | 'once' | 'always';
};

/** Reads the script from the task's text; several words on one line or several lines add up. */
export function readScript(text: string): Script {
  const context = sectionOf(text, 'Context') ?? '';
  const words = new Set(
    [...context.matchAll(/^[\s>*-]*demo:(.*)$/gim)].flatMap(([, rest = '']) =>
      rest.toLowerCase().split(/[\s,]+/),
    ),
  );
  return {
    isFast: words.has('fast'),
    asks: words.has('ask'),
    crashes: howOften(words, 'crash'),
    fails: howOften(words, 'fail'),
  };
}

function howOften(words: ReadonlySet<string>, what: string): 'never' | 'once' | 'always' {
  if (words.has(`${what}-always`)) return 'always';
  return words.has(`${what}-once`) ? 'once' : 'never';
}

/** The file the demo agent edits: named after the summary, in a folder of its own. */
export function demoFile(summary: string, taskId: string): string {
  const slug = summary
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return `orange-demo/${slug === '' ? taskId : slug}.md`;
}

/** A summary on one line, short enough for a commit's subject. */
export function oneLine(summary: string): string {
  const line = summary.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
