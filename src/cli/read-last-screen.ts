import { join } from 'node:path';
import { screenLines } from '../adapters/launch-records.js';
import { clipText } from '../domain/clean-text.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { isTerminal } from '../domain/status.js';
import type { TaskView } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';

/** What was last on the screen of an agent that has ended, and where all of it is. */
export type LastScreen = { readonly file: string; readonly lines: readonly string[] };

type Home = Pick<CommandContext, 'files' | 'paths'>;

/** The end of the stored screen of a task whose agent is missing, or that is stuck; else null. */
export function readLastScreen(
  home: Home,
  task: TaskView,
  history: readonly HistoryEvent[],
  most: number,
): LastScreen | null {
  const { status } = task.fields;
  if (isTerminal(status) || (task.session === 'active' && status !== 'stuck')) return null;
  for (const file of storedScreens(home, task, history)) {
    const read = home.files.readText(file, MAX_SCREEN_BYTES, 'lossy');
    if (!read.ok) continue;
    const lines = screenLines(read.value.text).map((line) => clipText(line, LONGEST_LINE));
    return { file, lines: lines.slice(-most) };
  }
  return null;
}

const MAX_SCREEN_BYTES = 4 * 1024 * 1024;
const LONGEST_LINE = 1000;

/** Where the screen may be, best first: a crash leaves a transcript, the launcher its own file. */
function storedScreens(
  { paths }: Home,
  { fields, session }: TaskView,
  history: readonly HistoryEvent[],
): readonly string[] {
  const { project, id } = fields;
  const crash = history.findLast(({ type }) => type === 'agent.crashed');
  const last = history.findLast(({ type }) => LIFE_EVENTS.has(type));
  const transcript = nameIn(crash, 'transcript', /^transcripts\/([A-Za-z0-9_][A-Za-z0-9_.-]*)$/);
  const window = nameIn(last, 'window', /^([A-Za-z0-9_][A-Za-z0-9_-]*)$/);
  const kept = transcript === null ? [] : [join(paths.transcriptsDir(project, id), transcript)];
  const left =
    window === null || session === 'active' ? [] : [join(paths.launchDir(id), `${window}.screen`)];
  return last?.type === 'agent.crashed' ? [...kept, ...left] : [...left, ...kept];
}

const LIFE_EVENTS: ReadonlySet<string> = new Set([
  'agent.spawned',
  'review.started',
  'agent.crashed',
]);

/** A file's name in a history, which an agent may have touched: only one that leads nowhere else. */
function nameIn(event: HistoryEvent | undefined, fact: string, form: RegExp): string | null {
  const value = event?.[fact];
  return typeof value === 'string' ? (form.exec(value)?.[1] ?? null) : null;
}
