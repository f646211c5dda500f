/** What the demo agent needs of the machine it runs on. */
export type Machine = {
  readonly taskId: string;
  readonly round: number;
  readTask(): string;
  /** Writes the task's file in place, through a link. */
  writeTask(text: string): void;
  readFile(path: string): string;
  writeFile(path: string, text: string): void;
  exists(path: string): boolean;
  git(argv: readonly string[]): GitRun;
  say(line: string): void;
  pause(ms: number): Promise<void>;
  /** The next message typed or pasted into the terminal; null when the terminal is gone. */
  nextMessage(): Promise<string | null>;
  /** How long each visible step takes. */
  readonly stepMs: number;
};

type GitRun = {
  readonly status: number;
  readonly output: string;
  readonly error: string;
};

/** Says what comes next, and takes a moment for it so that people can watch. */
export async function step(machine: Machine, line: string): Promise<void> {
  machine.say(line);
  await machine.pause(machine.stepMs);
}
