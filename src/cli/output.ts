import { codeOf, describeFailure } from '../domain/describe-failure.js';
import type { Description } from '../domain/description.js';
import type { Failure } from '../domain/failure.js';
import { jsonText } from './json-text.js';
import { paint, renderText } from './paint.js';
import { clip, oneLine, wrapText } from './table.js';

export type Writer = { write(text: string): unknown };

export type OutputStreams = {
  readonly form: 'json' | 'human';
  readonly stdout: Writer;
  readonly stderr: Writer;
  /** How wide a line of stdout may be; without end where it is no terminal. */
  readonly columns: number;
  /** The same for stderr, where it is a terminal. */
  readonly errColumns: number;
  readonly outColors: 'colors' | 'plain';
  readonly errColors: 'colors' | 'plain';
  /** Whether stderr is a terminal, where progress is drawn in place. */
  readonly isLive: boolean;
  readonly nowMs: () => number;
  /** Runs something after a while, unless the program ends before; returns how to call it off. */
  readonly later: (ms: number, run: () => void) => () => void;
};

/** How a command speaks: results on stdout, everything else on stderr. */
export type Output = {
  readonly form: 'json' | 'human';
  /** How wide a result may be: without end where programs read it. */
  readonly columns: number;
  /** Human text as it is printed: cleaned, with the colours there are. */
  render(text: string): string;
  /** The result: the value as JSON, or the text for a person. */
  result(value: unknown, human: () => string): void;
  /** A line of a result that goes on, such as a log that is followed. */
  line(value: unknown, human: () => string): void;
  failure(failure: Failure): void;
  /** An error that no Failure stands for, such as a mistyped option. */
  error(code: string, description: Description): void;
  /** Something worth knowing that is no result; only people see it. */
  note(text: string): void;
  /** A step under way. */
  progress(text: string): void;
  /** Takes the step under way off the screen, before something else is shown there. */
  endProgress(): void;
};

export function createOutput(streams: OutputStreams): Output {
  let isDrawn = false;

  const erase = (): void => {
    if (isDrawn) streams.stderr.write(`\r${ERASE_LINE}`);
    isDrawn = false;
  };
  const say = (text: string): void => {
    erase();
    streams.stderr.write(`${renderText(text, streams.errColors)}\n`);
  };
  const quiet = openQuietStart(streams, say);
  // Whoever searches what a program said looks for whole sentences; only a screen has an edge.
  const fold = (text: string, taken: number): string =>
    streams.isLive ? wrapText(text, streams.errColumns - taken, 2) : text;
  const result = (value: unknown, human: () => string, indent: number): void => {
    quiet.forget();
    erase();
    const text =
      streams.form === 'json' ? jsonText(value, indent) : renderText(human(), streams.outColors);
    if (text !== '') streams.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  };
  const error = (code: string, { message, hint }: Description): void => {
    if (streams.form === 'json') {
      result({ error: { code, message, hint } }, () => '', 2);
      return;
    }
    quiet.forget();
    say(`${paint('red', 'orange:')} ${fold(message, PREFIX_WIDTH)}`);
    if (hint !== null) say(paint('dim', `  ${fold(hint, 2)}`));
  };

  const endProgress = (): void => {
    quiet.forget();
    erase();
  };

  return {
    form: streams.form,
    columns: streams.columns,
    render: (text) => renderText(text, streams.outColors),
    result: (value, human) => result(value, human, 2),
    line: (value, human) => result(value, human, 0),
    failure: (failure) => error(codeOf(failure), describeFailure(failure)),
    error,
    note: (text) => {
      if (streams.form === 'human') say(text);
    },
    progress: (text) => {
      if (streams.form === 'json') return;
      if (streams.isLive) {
        const line = renderText(
          paint('dim', clip(`${oneLine(text)} …`, streams.errColumns - 1)),
          streams.errColors,
        );
        streams.stderr.write(`\r${ERASE_LINE}${line}`);
        isDrawn = true;
      } else {
        quiet.tell(`${text} …`);
      }
    },
    endProgress,
  };
}

/** A step may begin early and take long: the last one is told as soon as it is worth a line. */
function openQuietStart(
  { nowMs, later }: Pick<OutputStreams, 'nowMs' | 'later'>,
  say: (text: string) => void,
): { tell(text: string): void; forget(): void } {
  const endsMs = nowMs() + QUIET_MS;
  let untold = '';
  let callOff: (() => void) | null = null;
  const forget = (): void => {
    callOff?.();
    callOff = null;
  };
  const tell = (text: string): void => {
    untold = text;
    if (nowMs() > endsMs) {
      forget();
      say(text);
      return;
    }
    callOff ??= later(endsMs - nowMs(), () => {
      callOff = null;
      say(untold);
    });
  };
  return { tell, forget };
}

const PREFIX_WIDTH = 8;
const ERASE_LINE = '\u001b[K';
// Scripts see progress only of what takes long enough to wonder about.
const QUIET_MS = 1000;
