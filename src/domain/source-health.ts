/** The open connection to the terminal server. */
export type TerminalSource =
  | { readonly state: 'connected'; readonly since: string }
  | { readonly state: 'connecting'; readonly since: string }
  /** No server runs: there is nothing to hear. */
  | { readonly state: 'no-server'; readonly since: string }
  | { readonly state: 'down'; readonly since: string; readonly reason: string };

/** The watching of task folders, worktrees and launch records. */
export type FileSource =
  | { readonly state: 'watching'; readonly since: string; readonly directories: number }
  | {
      readonly state: 'broken';
      readonly since: string;
      /** How many directories are watched nevertheless. */
      readonly directories: number;
      /** An errno, or `missed` when changes were found that nothing had told of. */
      readonly reason: string;
    };

/** From where orange learns what happens, and how closely it looks by itself meanwhile. */
export type Sources = {
  readonly terminals: TerminalSource;
  readonly files: FileSource;
  /** `net`: now and then, under the events; `full`: at every active task, each second. */
  readonly sweep: 'net' | 'full';
};
