const PER_COMMAND = new Set(
  [
    'dry_run',
    'global',
    'global_prefix',
    'ignore_scripts',
    'include',
    'local_prefix',
    'location',
    'omit',
    'prefix',
  ].map((name) => `npm_config_${name}`),
);

/** The environment without what an npm that runs this script says about its own command only. */
export function npmEnvironment(env) {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !PER_COMMAND.has(name.toLowerCase())),
  );
}
