/** The open connection to the terminal server. */
export type TerminalSource =
  | { readonly state: 'connected'; readonly since: string }
  | { readonly state: 'connecting'; readonly since: string }
  /** No server runs, so no agent does: there is nothing to hear. */
  | { readonly state: 'no-server'; readonly since: string }
  | { readonly state: 'down'; readonly since: string; readonly reason: string };
