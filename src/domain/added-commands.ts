import { cleanText } from './clean-text.js';
import type { Settings } from './settings.js';

/** The commands that a project's settings name and the user's do not, each with where it stands. */
export function addedCommands(own: Settings, user: Settings): readonly string[] {
  const known = new Set(listCommands(user));
  return listCommands(own).filter((line) => !known.has(line));
}

function listCommands({ pool, policy, notify, harnesses }: Settings): readonly string[] {
  const programs = Object.entries(harnesses).map(
    ([name, { command }]) => [`harnesses.${name}`, command ?? null] as const,
  );
  return [
    ...pool.setup.map((line) => `pool.setup: ${line}`),
    ...policy.checks.handoff.map((line) => `policy.checks.handoff: ${line}`),
    ...(policy.checks.merge ?? []).map((line) => `policy.checks.merge: ${line}`),
    ...[['notify', notify.command] as const, ...programs].flatMap(([where, argv]) =>
      argv === null ? [] : [`${where}.command: ${argv.join(' ')}`],
    ),
  ].map((line) => cleanText(line).replaceAll('\n', ' '));
}
