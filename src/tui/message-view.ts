import { describeFailure } from '../domain/describe-failure.js';
import type { Snapshot } from '../domain/task-view.js';
import { fit, oneLine, wrapAtMost } from './display-text.js';
import { BAD, GOOD, KEY, type Line, PLAIN, QUIET, span, type Tone, WARNING } from './palette.js';
import type { FeedState } from './snapshot-feed.js';
import type { UiState } from './ui-state.js';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SPINNER_STEP_MS = 100;

/** What is so now and wants a person, whatever happened last. */
export function noticeLines(ui: UiState, feed: FeedState, width: number): readonly Line[] {
  if (ui.dialog !== null || ui.jobs.length > 0) return [];
  const text = noticeText(ui, feed);
  return text === null ? [] : wrapAtMost(text, width, 2).map((line) => [span(line, WARNING)]);
}

function noticeText(ui: UiState, { connection, snapshot }: FeedState): string | null {
  if (connection.kind === 'lost') {
    const { failure } = connection;
    const isAway = failure === null || failure.kind === 'daemon-unreachable';
    const pid = failure?.kind === 'daemon-unreachable' ? failure.pid : undefined;
    if (pid !== undefined) return silentText(pid);
    return isAway ? STOPPED : oneLine(describeFailure(failure).message);
  }
  if (ui.message === null && snapshot !== null && isElsewhere(ui, snapshot)) {
    return 'this repository is not registered; run `orange project add` in it';
  }
  return null;
}

function silentText(pid: number): string {
  return `the daemon (pid ${pid}) does not answer; replace it with: orange daemon restart`;
}

const STOPPED = 'the daemon has stopped; press Enter or d to start it';

// Without any project the empty screen says what to do.
function isElsewhere({ unregistered }: UiState, { projects }: Snapshot): boolean {
  const isKnown = projects.some((project) => project.path === unregistered);
  return unregistered !== null && projects.length > 0 && !isKnown;
}

/** What is under way, else what happened last. */
export function messageLines(ui: UiState, nowMs: number, width: number): readonly Line[] {
  const job = ui.jobs.at(-1);
  if (ui.message === null && job === undefined) return [];
  if (ui.message === null && job !== undefined) {
    const frame = SPINNER[Math.floor(nowMs / SPINNER_STEP_MS) % SPINNER.length] ?? '';
    const more = ui.jobs.length > 1 ? ` (and ${ui.jobs.length - 1} more)` : '';
    const progress = job.progress === null ? '' : `: ${job.progress}`;
    return [[span(fit(oneLine(`${frame} ${job.label}${progress}${more}`), width), KEY)]];
  }
  const { tone, text, hint } = ui.message ?? { tone: 'plain', text: '', hint: null };
  return [
    ...wrapAtMost(oneLine(text), width, 2).map((line) => [span(line, MESSAGE_TONES[tone])]),
    ...wrapAtMost(oneLine(hint ?? ''), width, 2)
      .filter((line) => line !== '')
      .map((line) => [span(line, QUIET)]),
  ];
}

const MESSAGE_TONES: Readonly<Record<'good' | 'bad' | 'plain', Tone>> = {
  good: GOOD,
  bad: BAD,
  plain: PLAIN,
};
