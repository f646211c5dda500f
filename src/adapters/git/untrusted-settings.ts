import type { Setting } from './git-environment.js';

/** Configuration keys through which git would run a program. */
export const RISKY_KEYS =
  '^(filter\\..*\\.(clean|smudge|process|required)|merge\\..*\\.driver|credential\\.(.*\\.)?helper' +
  '|gpg\\.(.*\\.)?program|gpg\\.ssh\\.defaultkeycommand|core\\.(sshcommand|alternaterefscommand))$';

export type ScreenedSettings = {
  /** What to put over the repository's own configuration. */
  readonly overrides: readonly Setting[];
  /** The person's own ssh command, from outside the repository. */
  readonly sshCommand: string | null;
};

/**
 * Takes programs named in a repository's own configuration, which every agent in a worktree can
 * write, out of effect; what the person configured outside the repository stays.
 */
export function screenSettings(output: string): ScreenedSettings {
  const entries = parseScopedEntries(output);
  const keys = [...new Set(entries.filter((entry) => !entry.isTrusted).map(({ key }) => key))];
  const overrides = keys.flatMap((key) => overrideKey(key, entries));
  const ssh = entries.findLast((entry) => entry.isTrusted && entry.key === 'core.sshcommand');
  return { overrides, sshCommand: ssh?.value ?? null };
}

type Entry = { readonly key: string; readonly value: string; readonly isTrusted: boolean };

function parseScopedEntries(output: string): readonly Entry[] {
  const fields = output.split('\0');
  const entries: Entry[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const scope = fields[index] ?? '';
    const [key = '', ...rest] = (fields[index + 1] ?? '').split('\n');
    const isTrusted = scope !== 'local' && scope !== 'worktree';
    entries.push({ key, value: rest.join('\n'), isTrusted });
  }
  return entries;
}

function overrideKey(key: string, entries: readonly Entry[]): readonly Setting[] {
  const same = entries.filter((entry) => entry.key === key);
  const trusted = same.filter((entry) => entry.isTrusted);
  if (key.startsWith('credential.')) {
    return [{ key, value: '' }, ...trusted.map(({ value }) => ({ key, value }))];
  }
  if (key.startsWith('filter.')) return overrideFilter(key, entries);
  const local = same.findLast((entry) => !entry.isTrusted)?.value ?? '';
  return [{ key, value: trusted.at(-1)?.value ?? neutralValue(key, local) }];
}

function overrideFilter(key: string, entries: readonly Entry[]): readonly Setting[] {
  const driver = key.slice(0, key.lastIndexOf('.'));
  const ofDriver = entries.filter((entry) => entry.key.startsWith(`${driver}.`));
  const isKnown = ofDriver
    .filter((entry) => !entry.isTrusted && !entry.key.endsWith('.required'))
    .every((entry) => KNOWN_FILTER_COMMAND.test(entry.value));
  if (isKnown) return [];
  return ['clean', 'smudge', 'process', 'required'].map((part) => ({
    key: `${driver}.${part}`,
    value:
      ofDriver.findLast((entry) => entry.isTrusted && entry.key === `${driver}.${part}`)?.value ??
      (part === 'required' ? 'false' : ''),
  }));
}

// `git lfs install --local` writes exactly these; the program is found on the person's PATH.
const KNOWN_FILTER_COMMAND =
  /^(git-lfs (clean|smudge|smudge --skip) -- %f|git-lfs filter-process( --skip)?)?$/;

const NEUTRAL: Readonly<Record<string, string>> = {
  'gpg.program': 'gpg',
  'gpg.openpgp.program': 'gpg',
  'gpg.x509.program': 'gpgsm',
  'gpg.ssh.program': 'ssh-keygen',
  'core.alternaterefscommand': 'true',
  'core.sshcommand': 'ssh',
};

function neutralValue(key: string, local: string): string {
  // A driver that fails leaves a conflict, which is reported; an empty one would pass off one side.
  if (key.startsWith('merge.')) return local === 'true' ? 'true' : 'false';
  return NEUTRAL[key] ?? '';
}
