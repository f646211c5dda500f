/** A process environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment git runs in: nothing that points it at another repository, no prompt of any
 * kind, plain messages, and the given settings on top of all configuration files.
 */
export function buildGitEnvironment(
  inherited: Environment,
  settings: readonly Setting[],
  sshCommand: string | null,
): Record<string, string> {
  const kept = Object.entries(inherited).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isKept(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    ...addSettings(inherited, settings),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_SSH_COMMAND: withoutQuestions(inherited, sshCommand),
    GIT_PROXY_COMMAND: inherited['GIT_PROXY_COMMAND'] ?? '',
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_PAGER: 'cat',
    LC_ALL: 'C',
  };
}

/** One configuration value that wins over every configuration file. */
export type Setting = { readonly key: string; readonly value: string };

const KEPT_GIT_VARIABLES =
  /^GIT_(SSH|SSH_VARIANT|SSL_.+|HTTP_.+|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|CONFIG_(KEY|VALUE)_\d+|(AUTHOR|COMMITTER)_(NAME|EMAIL)|EXEC_PATH|TEMPLATE_DIR|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)$/;

// A pinentry that finds a display or a terminal would ask there and wait for ever.
const DROPPED = new Set(['DISPLAY', 'WAYLAND_DISPLAY', 'GPG_TTY', 'LANGUAGE', 'LC_MESSAGES']);

function isKept(name: string): boolean {
  if (DROPPED.has(name)) return false;
  return !name.startsWith('GIT_') || KEPT_GIT_VARIABLES.test(name);
}

function addSettings(inherited: Environment, settings: readonly Setting[]): Record<string, string> {
  const given = Number(inherited['GIT_CONFIG_COUNT'] ?? '0');
  const first = Number.isSafeInteger(given) && given > 0 ? given : 0;
  const pairs = settings.flatMap(({ key, value }, index): [string, string][] => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + settings.length) };
}

function withoutQuestions(inherited: Environment, configured: string | null): string {
  const program = inherited['GIT_SSH'];
  const quoted = program === undefined ? null : `'${program.replaceAll("'", String.raw`'\''`)}'`;
  const command = inherited['GIT_SSH_COMMAND'] ?? quoted ?? configured ?? 'ssh';
  const variant = inherited['GIT_SSH_VARIANT'] ?? 'ssh';
  const speaksOpenSsh = variant === 'ssh' || variant === 'auto';
  return speaksOpenSsh ? `${command} -o BatchMode=yes -o ConnectTimeout=5` : command;
}
