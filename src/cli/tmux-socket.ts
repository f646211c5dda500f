import { success, type Result } from '../domain/result.js';
import type { CommandContext } from './command-context.js';
import { readSettings } from './read-settings.js';

/** Where orange's own tmux server listens: the environment, the settings, else the home. */
export async function tmuxSocket(
  context: Pick<CommandContext, 'files' | 'paths' | 'env'>,
): Promise<Result<string>> {
  const chosen = context.env['ORANGE_TMUX_SOCKET'];
  if (chosen !== undefined && chosen !== '') return success(chosen);
  const settings = await readSettings(context);
  if (!settings.ok) return settings;
  return success(settings.value.settings.tmuxSocket ?? context.paths.tmuxSocket);
}
