import { join } from 'node:path';
import type { HistoryEvent } from '../domain/history-event.js';
import { paint } from './paint.js';
import { oneLine, wrapPieces, wrapText } from './table.js';

export type EventLayout = {
  readonly columns: number;
  /** The folder of the task, from which its history names files. */
  readonly dir: string;
};

/** One event of a task's history: time, type, then its facts, on as many lines as they need. */
export function formatEvent(event: HistoryEvent, { columns, dir }: EventLayout): string {
  const { type, timestamp, ...facts } = event;
  const { from, to, ...others } = facts;
  const move = from === undefined || to === undefined ? [] : [`${text(from)} → ${text(to)}`];
  const rest = Object.entries(others)
    .filter(([key]) => key !== 'task_id' && key !== 'project')
    .map(([key, value]) => {
      const words = key === 'transcript' ? oneLine(locate(value, dir)) : factText(type, key, value);
      return wrapFact(`${oneLine(key)}=${words}`, columns);
    });
  const name = oneLine(type).padEnd(TYPE_WIDTH);
  const head = `${paint('dim', shortTime(timestamp))}  ${name}`;
  return wrapPieces([head, ...move, ...rest], { columns, indent: INDENT, gap: '  ' }).trimEnd();
}

const TYPE_WIDTH = 16;
const INDENT = 21;

/** A fact that needs more than a line is broken at its spaces; a path stays whole, to be copied. */
function wrapFact(fact: string, columns: number): string {
  const lines = wrapText(fact, columns - INDENT, 0).split('\n');
  return lines.join(`\n${' '.repeat(INDENT)}`);
}

const REJECTIONS: Readonly<Record<string, string>> = {
  'no-such-move': 'no move leads there',
  terminal: 'the task is over',
  'not-for-agents': 'only a person may ask for it',
  'reviewer-not-started': 'no reviewer has started in this round',
  'rounds-left': 'there is another review round',
  'rounds-used': 'all review rounds are used',
  'needs-merge': 'the work is not merged yet',
};

function factText(type: string, key: string, value: unknown): string {
  const words = text(value);
  return type === 'frontmatter.rejected' && key === 'reason' ? (REJECTIONS[words] ?? words) : words;
}

/** A transcript as it can be opened from anywhere; some events give only its name. */
function locate(transcript: unknown, dir: string): string {
  const path = text(transcript);
  return join(dir, path.startsWith('transcripts/') ? path : `transcripts/${path}`);
}

function shortTime(timestamp: string): string {
  return oneLine(timestamp)
    .replace('T', ' ')
    .replace(/(\.\d+)?Z$/, '');
}

function text(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
