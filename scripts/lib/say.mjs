export function say(line = '') {
  process.stdout.write(`${line}\n`);
}

export function complain(line) {
  process.stderr.write(`${line}\n`);
}

export function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** A copy of the environment in which no program colours its output unless a terminal shows it. */
export function environmentForOutput(env, stream) {
  if (stream.isTTY) return { ...env };
  const { FORCE_COLOR: _forced, ...rest } = env;
  return { ...rest, NO_COLOR: '1' };
}
