import { join } from 'node:path';
import type { Environment } from './git-environment.js';

/** Where git looks for what a person has set for all repositories. */
export type PersonalFiles = { readonly settings: readonly string[]; readonly ignore: string };

export function findPersonalFiles(env: Environment): PersonalFiles {
  const home = env['HOME'] ?? '';
  const xdg = env['XDG_CONFIG_HOME'] ?? join(home, '.config');
  const global = env['GIT_CONFIG_GLOBAL'] ?? join(home, '.gitconfig');
  const system = env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig';
  return {
    settings: [global, join(xdg, 'git', 'config'), system],
    ignore: join(xdg, 'git', 'ignore'),
  };
}
