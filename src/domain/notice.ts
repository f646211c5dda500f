/** Something a person is told once, wherever they are. */
export type Notice = {
  readonly title: string;
  readonly text: string;
  /** Null where it is about several tasks, or about something that is no task's. */
  readonly taskId: string | null;
  /** Why, as a code; `several` where it is about several tasks. */
  readonly cause: string;
  /** How many tasks, or other things, it is about. */
  readonly count: number;
};

const ESC = '\u001B';
const BEL = '\u0007';

/** What makes a terminal ring and, where it can, show the words (OSC 9). They must be clean already. */
export function terminalAlert(words: string): string {
  return `${ESC}]9;${words}${ESC}\\${BEL}`;
}
