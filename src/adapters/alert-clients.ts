import { terminalAlert } from '../domain/notice.js';
import type { Log } from '../ports.js';
import { runCommand } from './run-command.js';
import type { TmuxConnection } from './tmux-server.js';

/** Rings and shows a line to everybody who is attached to orange's server. Never fails. */
export async function alertClients(
  { tmux, log }: { readonly tmux: Pick<TmuxConnection, 'run'>; readonly log?: Log },
  words: string,
): Promise<void> {
  const listed = await tmux.run([['list-clients', '-F', '#{client_control_mode} #{client_tty}']]);
  const terminals = (listed.ok ? listed.value.split('\n') : []).flatMap((line) => {
    const [isControl, terminal = ''] = line.split(' ');
    return isControl === '0' && /^\/dev\/[\w/.-]+$/.test(terminal) ? [terminal] : [];
  });
  for (const terminal of terminals) {
    await showLine(tmux, terminal, words);
    const rung = await ring(terminal, words);
    if (!rung) log?.write({ event: 'notify.failed', level: 'warn', channel: 'bell', terminal });
  }
}

// An option's value is taken as it is, and not expanded again where it is shown.
async function showLine(
  tmux: Pick<TmuxConnection, 'run'>,
  terminal: string,
  words: string,
): Promise<void> {
  await tmux.run([
    ['set-option', '-g', '@orange_notice', words],
    ['display-message', '-c', terminal, '-d', '5000', '#{@orange_notice}'],
  ]);
}

/** Writes to the terminal beside tmux, which has no command that rings. */
async function ring(terminal: string, words: string): Promise<boolean> {
  const script = '[ -c "$1" ] && printf %s "$2" > "$1"';
  const outcome = await runCommand({
    program: '/bin/sh',
    argv: ['-c', script, 'sh', terminal, terminalAlert(words)],
    timeoutMs: 3000,
    action: 'notify',
  });
  return outcome.ok && outcome.value.exitCode === 0;
}
