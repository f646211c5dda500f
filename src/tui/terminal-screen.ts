import type { ReadStream, WriteStream } from 'node:tty';
import { terminalAlert } from '../domain/notice.js';
import { paintFrame } from './paint-frame.js';

/** The terminal while the dashboard has it. Both calls may be repeated. */
export type TerminalScreen = {
  readonly enter: () => void;
  /** Gives everything back as it was: main screen, cursor, cooked mode. */
  readonly leave: () => void;
  /** Draws the whole frame again, over whatever somebody else has written on the screen. */
  readonly repaint: () => void;
  /** Rings, and has the terminal show the words where it can. */
  readonly ring: (words: string) => void;
  /** The stream for Ink, in debug mode: every write is a whole frame, and is painted in place. */
  readonly output: WriteStream;
};

const ESC = '\u001B';
// Alternate screen, bracketed paste, no cursor, no wrapping: a line drawn for a wider window is cut.
const ENTER = '\u001B[?1049h\u001B[?2004h\u001B[?25l\u001B[?7l';
const LEAVE = '\u001B[?7h\u001B[?2004l\u001B[?25h\u001B[?1049l';
const CLEAR = '\u001B[2J';
// Foreground and background colours; bold, dim and inverse are no colours.
const COLOR = new RegExp(`${ESC}\\[(?:3|4|9|10)[0-9](?:;[0-9]+)*m`, 'gu');

/** Takes the alternate screen, so that the person's scrollback stays as it is. */
export function terminalScreen(input: {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly colors?: 'colors' | 'plain';
}): TerminalScreen {
  const { stdin, stdout } = input;
  let isEntered = false;
  let shown: readonly string[] = [];

  const write = (text: string) => {
    if (text !== '' && !stdout.destroyed && stdout.writable) stdout.write(text);
  };
  const setRawMode = (isRaw: boolean) => {
    if (stdin.isTTY && !stdin.destroyed) stdin.setRawMode(isRaw);
  };
  // A terminal may have moved or wrapped what it showed: the next frame is painted afresh.
  const onResize = () => {
    shown = [];
    write(CLEAR);
  };
  const paint = (painted: string) => {
    const frame = input.colors === 'plain' ? painted.replace(COLOR, '') : painted;
    const next = frame.split('\n').slice(0, stdout.rows || undefined);
    write(paintFrame(shown, next));
    shown = next;
  };

  return {
    output: paintingStream(stdout, (frame) => isEntered && paint(frame)),
    ring: (words) => {
      if (isEntered) write(terminalAlert(words));
    },
    repaint: () => {
      if (isEntered) write(CLEAR + paintFrame([], shown));
    },
    enter: () => {
      if (isEntered) return;
      isEntered = true;
      shown = [];
      setRawMode(true);
      stdout.on('resize', onResize);
      write(ENTER + CLEAR);
    },
    leave: () => {
      if (!isEntered) return;
      isEntered = false;
      stdout.off('resize', onResize);
      setRawMode(false);
      write(LEAVE);
    },
  };
}

/** The stream itself, except that what is written to it is painted. */
function paintingStream(stdout: WriteStream, paint: (frame: string) => void): WriteStream {
  const write = (frame: string, done?: () => void) => {
    // Ink ends with an empty write and a show-cursor of its own; neither is a frame.
    if (frame !== '' && !frame.startsWith('\u001B[?25')) paint(frame);
    if (done !== undefined) setImmediate(done);
    return true;
  };
  return new Proxy(stdout, {
    get: (target, property) => {
      if (property === 'write') return write;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
