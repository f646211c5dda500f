import type { ReadStream, WriteStream } from 'node:tty';

/** The terminal while the dashboard has it. Both calls may be repeated. */
export type TerminalScreen = {
  readonly enter: () => void;
  /** Gives everything back as it was: main screen, cursor, cooked mode. */
  readonly leave: () => void;
  /** The stream Ink draws on. */
  readonly output: WriteStream;
};

const ENTER = '\u001B[?1049h\u001B[?2004h\u001B[2J\u001B[H';
const LEAVE = '\u001B[?2004l\u001B[?25h\u001B[?1049l';
const CLEAR = '\u001B[2J\u001B[H';

/** Takes the alternate screen, so that the person's scrollback stays as it is. */
export function terminalScreen(stdin: ReadStream, stdout: WriteStream): TerminalScreen {
  let isEntered = false;
  let last = { columns: stdout.columns, rows: stdout.rows };
  // Lines that a smaller window has wrapped or pushed about are not where Ink would erase them.
  const onResize = () => {
    const isSmaller = stdout.columns < last.columns || stdout.rows < last.rows;
    last = { columns: stdout.columns, rows: stdout.rows };
    if (isSmaller) write(CLEAR);
  };
  const write = (text: string) => {
    if (!stdout.destroyed && stdout.writable) stdout.write(text);
  };
  return {
    output: withoutRows(stdout),
    enter: () => {
      if (isEntered) return;
      isEntered = true;
      stdout.on('resize', onResize);
      write(ENTER);
    },
    leave: () => {
      if (!isEntered) return;
      isEntered = false;
      stdout.off('resize', onResize);
      if (stdin.isTTY && !stdin.destroyed) stdin.setRawMode(false);
      write(LEAVE);
    },
  };
}

// An Ink that knows the height clears the terminal, scrollback too, whenever a frame fills it.
function withoutRows(stdout: WriteStream): WriteStream {
  return new Proxy(stdout, {
    get: (target, property) => {
      if (property === 'rows') return undefined;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
