import type { HistoryEvent } from '../domain/history-event.js';
import { paint } from './paint.js';
import { oneLine } from './table.js';

/** One event of a task's history as a line: time, type, then its facts. */
export function formatEvent(event: HistoryEvent): string {
  const { type, timestamp, ...facts } = event;
  const { from, to, ...others } = facts;
  const move = from === undefined || to === undefined ? [] : [`${text(from)} → ${text(to)}`];
  const rest = Object.entries(others)
    .filter(([key]) => key !== 'task_id' && key !== 'project')
    .map(([key, value]) => `${key}=${text(value)}`);
  const name = oneLine(type).padEnd(TYPE_WIDTH);
  return `${paint('dim', shortTime(timestamp))}  ${[name, ...move, ...rest].join('  ')}`.trimEnd();
}

const TYPE_WIDTH = 16;
const LONGEST_FACT = 120;

function shortTime(timestamp: string): string {
  return oneLine(timestamp)
    .replace('T', ' ')
    .replace(/(\.\d+)?Z$/, '');
}

function text(value: unknown): string {
  const plain = oneLine(typeof value === 'string' ? value : JSON.stringify(value));
  return plain.length > LONGEST_FACT ? `${plain.slice(0, LONGEST_FACT)}…` : plain;
}
