import { hookCommand } from './hook-report.js';

const HOOK_SECONDS = 10;

/**
 * Settings for one session of Claude Code: it says when it begins a turn, ends it, or asks for
 * permission. They are added to the person's own settings and replace none of them. Its conversation
 * gets a new id by `/clear`, and in some versions whenever it is resumed: each turn tells it anew.
 */
export const CLAUDE_HOOKS = JSON.stringify({
  hooks: {
    UserPromptSubmit: [{ hooks: [command('working')] }],
    Notification: [{ matcher: 'permission_prompt|elicitation_dialog', hooks: [command('asks')] }],
    Stop: [{ hooks: [command('turnOver')] }],
  },
});

function command(report: Parameters<typeof hookCommand>[0]) {
  const line = `${hookCommand(report)} --conversation -`;
  return { type: 'command', command: line, timeout: HOOK_SECONDS };
}
