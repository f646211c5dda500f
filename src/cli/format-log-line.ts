import { paint, type Tone } from './paint.js';
import { clip, oneLine, wrapPieces } from './table.js';

const INDENT = 26;

/** A record of orange.log: time, level, event, facts, on as many lines as they need. */
export function formatLogLine(record: unknown, raw: string, columns: number): string {
  if (!isRecord(record)) return oneLine(raw);
  const { time, level, event, msg, pid: _pid, hostname: _hostname, ...facts } = record;
  const [name, tone] = levelOf(level);
  const words = [event, msg].filter((word) => typeof word === 'string').map(oneLine);
  const rest = Object.entries(facts).map(([key, value]) => `${key}=${factText(value)}`);
  const pieces = [
    paint('dim', timeOf(time)),
    paint(tone, name),
    ...words,
    ...rest.map((fact) => paint('dim', clip(fact, columns - INDENT))),
  ];
  return wrapPieces(pieces, { columns, indent: INDENT, gap: ' ' });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Level = readonly [string, Tone];

const INFO: Level = ['info ', 'green'];

const LEVELS: ReadonlyMap<unknown, Level> = new Map<unknown, Level>([
  ['error', ['error', 'red']],
  ['warn', ['warn ', 'yellow']],
  ['info', INFO],
  ['debug', ['debug', 'dim']],
]);

function levelOf(level: unknown): Level {
  return LEVELS.get(level) ?? INFO;
}

function timeOf(time: unknown): string {
  const date = new Date(typeof time === 'number' || typeof time === 'string' ? time : Number.NaN);
  if (Number.isNaN(date.getTime())) return '–';
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '');
}

function factText(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}
