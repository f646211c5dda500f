import { setTimeout as pause } from 'node:timers/promises';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import { DONE, type Result, failed, success } from '../domain/result.js';
import type { AgentPlace } from '../ports.js';
import { classifyTmuxFailure, sessionTarget, windowTarget } from './tmux-command.js';
import type { TmuxConnection } from './tmux-server.js';

/** Pastes a text into an agent's window and submits it; done only when the screen shows a reaction. */
export async function pasteText(
  tmux: Tmux,
  place: AgentPlace,
  text: string,
): Promise<Result<void>> {
  const safe = pasteableText(text);
  if (safe === '') {
    return failed({ kind: 'invalid-argument', argument: 'text', value: '', rule: 'not empty' });
  }
  const quiet = await awaitQuietHuman(tmux, place);
  if (!quiet.ok) return quiet;
  const pane = await findPane(tmux, place);
  if (!pane.ok) return pane;
  const before = await look(tmux, place);
  if (!before.ok) return before;
  failpoint('tell.before-paste');
  const pasted = await paste(tmux, pane.value, safe);
  if (!pasted.ok) return pasted;
  failpoint('tell.pasted');
  await awaitChange(tmux, place, before.value);
  await pause(SETTLE_MS);
  return submit(tmux, place, pane.value);
}

/** The text as it may be pasted: nothing in it can end the paste or act as a key. */
export function pasteableText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(PASTE_BRACKET, '')
    .replace(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? character : ''))
    .replace(/\n+$/, '');
}

const ESC = '\u001b';
const PASTE_BRACKET = new RegExp(`(?:${ESC}\\[|\u009b)20[01]~`, 'g');
// Agents take keys that follow a paste too closely for a part of it.
const SETTLE_MS = 150;
const REACTION_LIMIT_MS = 1000;
const LOOK_EVERY_MS = 40;
const SUBMITS = 4;
const HUMAN_QUIET_SECONDS = 2;
const HUMAN_LIMIT_MS = 20_000;

type Tmux = Pick<TmuxConnection, 'run' | 'control'>;

/** Waits until nobody who watches this session has pressed a key for a while. */
async function awaitQuietHuman(tmux: Tmux, place: AgentPlace): Promise<Result<void>> {
  const deadline = performance.now() + HUMAN_LIMIT_MS;
  const format = '#{client_control_mode} #{client_activity}';
  while (performance.now() < deadline) {
    const clients = await tmux.run([
      ['list-clients', '-t', sessionTarget(place.session), '-F', format],
    ]);
    if (!clients.ok) return failed(explain(clients.failure, place));
    if (!hasTypedLately(clients.value, Date.now())) return DONE;
    await pause(200);
  }
  return notDelivered(place, 'somebody is typing there');
}

/**
 * Whether one of the clients, each a line of `#{client_control_mode} #{client_activity}`, has been
 * used in the last seconds. A time to come is one from before the clock was set back.
 */
export function hasTypedLately(clients: string, nowMs: number): boolean {
  const nowSeconds = Math.floor(nowMs / 1000);
  // Activity is told in whole seconds, so one more has to pass.
  const sinceSeconds = nowSeconds - HUMAN_QUIET_SECONDS - 1;
  return clients.split('\n').some((line) => {
    const seconds = Number(line.slice(2));
    return line.startsWith('0 ') && seconds > sinceSeconds && seconds <= nowSeconds + 1;
  });
}

/** The pane of the agent, out of copy mode. */
async function findPane(tmux: Tmux, place: AgentPlace): Promise<Result<string>> {
  const target = windowTarget(place.session, place.window);
  const format = '#{pane_id} #{pane_dead} #{pane_in_mode}';
  const panes = await tmux.run([['list-panes', '-t', target, '-F', format]]);
  if (!panes.ok) return failed(explain(panes.failure, place));
  const [id, isDead, mode] = panes.value.split('\n')[0]?.split(' ') ?? [];
  if (id === undefined || isDead !== '0') return notDelivered(place, 'its agent has ended');
  if (mode === '0') return success(id);
  const left = await tmux.run([['copy-mode', '-q', '-t', id]]);
  return left.ok ? success(id) : failed(explain(left.failure, place));
}

async function paste(tmux: Tmux, pane: string, text: string): Promise<Result<void>> {
  const buffer = `orange-${pane.slice(1)}`;
  const set = await tmux.control.ask([['set-buffer', '-b', buffer, '--', text]]);
  if (set.kind !== 'answered' || set.isRefused) {
    // Too long for a line, or nobody there: by a process of its own any text gets through.
    const loaded = await tmux.run([['load-buffer', '-b', buffer, '-']], text);
    if (!loaded.ok) return loaded;
  }
  const pasted = await tmux.run([['paste-buffer', '-p', '-d', '-b', buffer, '-t', pane]]);
  if (pasted.ok) return DONE;
  await tmux.run([['delete-buffer', '-b', buffer]]);
  return pasted;
}

async function submit(tmux: Tmux, place: AgentPlace, pane: string): Promise<Result<void>> {
  for (let round = 0; round < SUBMITS; round += 1) {
    const shown = await look(tmux, place);
    if (!shown.ok) return shown;
    const current = await findPane(tmux, place);
    if (!current.ok) return current;
    const pressed = await tmux.run([['send-keys', '-t', pane, 'Enter']]);
    if (!pressed.ok) return failed(explain(pressed.failure, place));
    failpoint('tell.submitted');
    if (await awaitChange(tmux, place, shown.value)) return DONE;
  }
  return notDelivered(place, 'its screen did not change');
}

/** What can be seen of a pane, as one text to compare. */
async function look(tmux: Tmux, place: AgentPlace): Promise<Result<string>> {
  const target = windowTarget(place.session, place.window);
  const format = '#{history_size} #{history_bytes} #{cursor_x} #{cursor_y}';
  const seen = await tmux.run([
    ['list-panes', '-t', target, '-F', format],
    ['capture-pane', '-p', '-t', target],
  ]);
  return seen.ok ? seen : failed(explain(seen.failure, place));
}

async function awaitChange(tmux: Tmux, place: AgentPlace, before: string): Promise<boolean> {
  const deadline = performance.now() + REACTION_LIMIT_MS;
  while (performance.now() < deadline) {
    await pause(LOOK_EVERY_MS);
    const now = await look(tmux, place);
    // Gone after the text was sent: it reacted by ending.
    if (!now.ok || now.value !== before) return true;
  }
  return false;
}

function explain(failure: Failure, place: AgentPlace): Failure {
  const refusal = classifyTmuxFailure(failure);
  const isGone = refusal === 'no-server' || refusal === 'no-session' || refusal === 'no-window';
  if (!isGone) return failure;
  return { kind: 'not-found', what: 'window', name: `${place.session}:${place.window}` };
}

function notDelivered(
  place: AgentPlace,
  reason: string,
): { readonly ok: false; readonly failure: Failure } {
  return failed({ kind: 'message-not-delivered', window: place.window, reason });
}
