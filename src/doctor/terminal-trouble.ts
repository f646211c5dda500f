import type { Finding } from '../domain/finding.js';
import { makeFinding } from './make-finding.js';
import type { Survey } from './survey.js';

/** A terminal server that lives but cannot be reached: nothing may be concluded about its sessions. */
export function findTerminalTrouble({ terminal }: Survey): readonly Finding[] {
  switch (terminal.kind) {
    case 'listed':
      return [];
    case 'lost-socket':
      return [
        makeFinding({
          class: 'terminal-server',
          message: `the terminal server (pid ${terminal.pid}) has lost its socket ${terminal.socket}`,
          remedy: 'The daemon asks the server to make it again; its agents live on.',
          fixable: 'safe',
          path: terminal.socket,
          pids: [terminal.pid],
        }),
      ];
    case 'silent':
      return [
        makeFinding({
          class: 'terminal-server',
          severity: 'error',
          message: `the terminal server does not answer: ${terminal.reason}`,
          remedy: 'Sessions are not judged until it does. Is it stopped, or out of files?',
          fixable: 'by-hand',
        }),
      ];
  }
}
