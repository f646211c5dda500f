import type { Command, KeyBinding, Motion, PlainCommand, Scope } from './key-command.js';
import type { TextEdit } from './text-input.js';
import type { Dialog, Question } from './ui-state.js';

const plain = (name: PlainCommand): Command => ({ kind: 'plain', name });
const move = (motion: Motion): Command => ({ kind: 'move', motion });
const ask = (question: Question['kind']): Command => ({ kind: 'ask', question });
const edit = (kind: Exclude<TextEdit['kind'], 'insert'>): Command => ({
  kind: 'edit',
  edit: { kind },
});
const moveField = (by: number): Command => ({ kind: 'move-field', by });

function scoped(scope: Scope, rows: readonly Omit<KeyBinding, 'scope'>[]): readonly KeyBinding[] {
  return rows.map((row) => ({ scope, ...row }));
}

const MOTIONS: readonly Omit<KeyBinding, 'scope'>[] = [
  { keys: ['j', 'down'], command: move('down'), label: 'down' },
  { keys: ['k', 'up'], command: move('up'), label: 'up' },
  { keys: ['pagedown', 'ctrl-f'], command: move('page-down'), label: 'a page down' },
  { keys: ['pageup', 'ctrl-b'], command: move('page-up'), label: 'a page up' },
  { keys: ['g', 'home'], command: move('first'), label: 'to the top' },
  { keys: ['G', 'end'], command: move('last'), label: 'to the end' },
];

const EDITING: readonly Omit<KeyBinding, 'scope'>[] = [
  { keys: ['left', 'ctrl-b'], command: edit('left'), label: 'cursor left' },
  { keys: ['right', 'ctrl-f'], command: edit('right'), label: 'cursor right' },
  { keys: ['home', 'ctrl-a'], command: edit('start'), label: 'to the start of the line' },
  { keys: ['end', 'ctrl-e'], command: edit('end'), label: 'to the end of the line' },
  { keys: ['backspace'], command: edit('delete-back'), label: 'delete before the cursor' },
  { keys: ['ctrl-d'], command: edit('delete-forward'), label: 'delete under the cursor' },
  { keys: ['ctrl-w'], command: edit('delete-word'), label: 'delete a word' },
  { keys: ['ctrl-u'], command: edit('delete-to-start'), label: 'delete to the start' },
];

const QUIT: Omit<KeyBinding, 'scope'> = {
  keys: ['ctrl-c'],
  command: plain('quit'),
  label: 'quit orange',
};

/** Every key of the dashboard. The footer and the help are generated from this table. */
export const KEY_BINDINGS: readonly KeyBinding[] = [
  ...scoped('list', [
    ...MOTIONS,
    {
      keys: ['enter'],
      command: plain('open'),
      label: "go to the task's agent: attach, start or restart it",
      hint: 'open',
    },
    {
      keys: ['A'],
      command: plain('answer'),
      label: 'answer what the agent asks',
      hint: 'answer',
      needs: 'answer',
    },
    { keys: ['c'], command: plain('create'), label: 'create a task', hint: 'create' },
    { keys: ['m'], command: ask('merge'), label: 'merge the task', hint: 'merge', needs: 'merge' },
    {
      keys: ['r'],
      command: plain('send-back'),
      label: 'send back with a message, also what is stuck; in agent-review: fail the review',
      hint: 'send back',
    },
    {
      keys: ['V'],
      command: plain('diff'),
      label: 'view what the task has changed',
      hint: 'diff',
    },
    {
      keys: ['F'],
      command: plain('finalize'),
      label: 'finalize: try the merge for conflicts, checks and risk',
      hint: 'finalize',
      needs: 'finalize',
    },
    {
      keys: ['h'],
      command: plain('hold'),
      label: 'hold: keep a pending task from starting',
      hint: 'hold',
      needs: 'hold',
    },
    {
      keys: ['H'],
      command: plain('release'),
      label: 'release what is held',
      hint: 'release',
      needs: 'release',
    },
    {
      keys: ['+'],
      command: ask('approve'),
      label: 'approve: let the task pass the gate that waits for you',
      hint: 'approve',
      needs: 'approve',
    },
    {
      keys: ['-'],
      command: plain('reject'),
      label: 'reject at that gate, with a message',
      hint: 'reject',
      needs: 'reject',
    },
    {
      keys: ['x'],
      command: ask('cancel'),
      label: 'cancel the task',
      hint: 'cancel',
      needs: 'cancel',
    },
    {
      keys: ['s'],
      command: plain('send'),
      label: 'send the agent a message',
      hint: 'send',
      needs: 'send',
    },
    { keys: ['R'], command: ask('respawn'), label: 'start the agent again', needs: 'respawn' },
    {
      keys: ['o'],
      command: ask('reopen'),
      label: 'reopen a finished task as a new one',
      hint: 'reopen',
      needs: 'reopen',
    },
    {
      keys: ['D'],
      command: ask('delete'),
      label: 'delete the task',
      hint: 'delete',
      needs: 'delete',
    },
    { keys: ['v'], command: plain('view'), label: 'view TASK.md', hint: 'view' },
    {
      keys: ['p'],
      command: plain('peek'),
      label: "peek at the agent's screen, or at its last one",
      hint: 'peek',
    },
    {
      keys: ['w'],
      command: ask('requeue'),
      label: 'back to waiting: end the agent, save its work, requeue',
      hint: 'requeue',
      needs: 'requeue',
    },
    {
      keys: ['f'],
      command: plain('filter'),
      label: 'filter: all, active, inbox, queue, done',
      hint: 'filter',
    },
    { keys: ['i'], command: plain('inbox'), label: 'the inbox: what waits for you, and back' },
    {
      keys: ['Q'],
      command: plain('queue'),
      label: 'the queue: what starts next or why not, and back',
    },
    { keys: ['/'], command: plain('search'), label: 'search by text', hint: 'search' },
    { keys: ['a'], command: plain('toggle-projects'), label: 'this project, or all of them' },
    { keys: ['b'], command: plain('toggle-backlog'), label: 'show or fold the backlog' },
    { keys: ['L'], command: plain('locks'), label: 'locks: who holds which files' },
    { keys: ['!'], command: plain('problems'), label: 'problems in files' },
    { keys: ['d'], command: plain('start-daemon'), label: 'start the daemon if it has stopped' },
    { keys: ['ctrl-l'], command: plain('repaint'), label: 'draw the screen again' },
    {
      keys: ['esc'],
      command: plain('dismiss'),
      label: 'put away the message, then the search, then inbox or queue',
      hint: 'back',
    },
    { keys: ['?'], command: plain('help'), label: 'this help', hint: 'help' },
    {
      keys: ['q', 'ctrl-c'],
      command: plain('quit'),
      label: 'quit; agents and daemon go on',
      hint: 'quit',
    },
  ]),
  ...scoped('reader', [
    ...MOTIONS,
    { keys: [' ', 'enter'], command: move('page-down'), label: 'a page down', hint: 'next page' },
    {
      keys: ['n'],
      command: plain('next-file'),
      label: 'in changes: to the next file',
      hint: 'next file',
    },
    { keys: ['N'], command: plain('previous-file'), label: 'in changes: to the file before' },
    { keys: ['esc', 'q', '?'], command: plain('close'), label: 'back to the list', hint: 'back' },
    QUIT,
  ]),
  ...scoped('confirm', [
    { keys: ['y', 'Y'], command: plain('accept'), label: 'yes', hint: 'yes' },
    { keys: ['n', 'N', 'esc', 'q'], command: plain('close'), label: 'no', hint: 'no' },
    { keys: ['tab'], command: plain('cycle-strategy'), label: 'another merge strategy' },
    QUIT,
  ]),
  ...scoped('form', [
    { keys: ['enter'], command: plain('accept'), label: 'create the task', hint: 'create' },
    { keys: ['tab', 'down'], command: moveField(1), label: 'next field', hint: 'next field' },
    { keys: ['shift-tab', 'up'], command: moveField(-1), label: 'previous field' },
    { keys: ['newline'], command: plain('newline'), label: 'new line in the context (or Alt-⏎)' },
    { keys: ['esc'], command: plain('close'), label: 'back without creating', hint: 'cancel' },
    ...EDITING,
    QUIT,
  ]),
  ...scoped('prompt', [
    { keys: ['enter'], command: plain('accept'), label: 'done', hint: 'done' },
    { keys: ['esc'], command: plain('close'), label: 'back without it', hint: 'cancel' },
    ...EDITING,
    QUIT,
  ]),
];

export function findBinding(scope: Scope, key: string): KeyBinding | null {
  return (
    KEY_BINDINGS.find((binding) => binding.scope === scope && binding.keys.includes(key)) ?? null
  );
}

export function scopeOf(dialog: Dialog | null): Scope {
  switch (dialog?.kind) {
    case undefined:
      return 'list';
    case 'confirm':
      return 'confirm';
    case 'create':
      return 'form';
    case 'search':
    case 'send':
    case 'send-back':
    case 'answer':
    case 'reject':
      return 'prompt';
    case 'reader':
    case 'help':
      return 'reader';
  }
}

/** Whether letters are text in this scope rather than commands. */
export function takesText(scope: Scope): boolean {
  return scope === 'form' || scope === 'prompt';
}
