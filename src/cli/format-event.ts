import type { HistoryEvent } from '../domain/history-event.js';
import { paint } from './paint.js';
import { clip, oneLine, wrapPieces } from './table.js';

/** One event of a task's history: time, type, then its facts, on as many lines as they need. */
export function formatEvent(event: HistoryEvent, columns: number): string {
  const { type, timestamp, ...facts } = event;
  const { from, to, ...others } = facts;
  const move = from === undefined || to === undefined ? [] : [`${text(from)} → ${text(to)}`];
  const rest = Object.entries(others)
    .filter(([key]) => key !== 'task_id' && key !== 'project')
    .map(([key, value]) => clip(`${oneLine(key)}=${text(value)}`, LONGEST_FACT));
  const name = oneLine(type).padEnd(TYPE_WIDTH);
  const head = `${paint('dim', shortTime(timestamp))}  ${name}`;
  return wrapPieces([head, ...move, ...rest], { columns, indent: INDENT, gap: '  ' }).trimEnd();
}

const TYPE_WIDTH = 16;
const INDENT = 21;
const LONGEST_FACT = 58;

function shortTime(timestamp: string): string {
  return oneLine(timestamp)
    .replace('T', ' ')
    .replace(/(\.\d+)?Z$/, '');
}

function text(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}
