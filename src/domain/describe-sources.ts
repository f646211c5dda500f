import type { FileSource, Sources, TerminalSource } from './source-health.js';

/** A source of events in words; `remedy` is null while there is nothing to do about it. */
export type SourceDescription = {
  readonly isHealthy: boolean;
  readonly text: string;
  readonly remedy: string | null;
};

export function describeTerminals(
  source: TerminalSource,
  uptimeSeconds: number,
): SourceDescription {
  switch (source.state) {
    case 'connected':
      return healthy('connected to the tmux server');
    case 'no-server':
      return healthy('no tmux server runs');
    case 'connecting':
      return uptimeSeconds < FIRST_SECONDS
        ? healthy('connecting to the tmux server')
        : { isHealthy: false, text: 'connecting to the tmux server', remedy: SELF_MENDING };
    case 'down':
      return {
        isHealthy: false,
        text: `no connection to the tmux server: ${source.reason}`,
        remedy: SELF_MENDING,
      };
  }
}

// A daemon that has just been started connects, and that says nothing against it. Later, whoever
// connects has lost a connection before.
const FIRST_SECONDS = 5;

export function describeFiles(source: FileSource): SourceDescription {
  const count = `${source.directories} ${source.directories === 1 ? 'directory' : 'directories'}`;
  if (source.state === 'watching') return healthy(`watching ${count}`);
  const { reason } = source;
  const text = `files cannot all be watched (${reason}), only ${count}`;
  return { isHealthy: false, text, remedy: REMEDIES[reason] ?? SELF_MENDING };
}

/** How orange makes up for a source that cannot be trusted. */
export function describeSweep({ sweep }: Pick<Sources, 'sweep'>): string {
  return sweep === 'net'
    ? 'events tell what happens; a look at every TASK.md each second is the net'
    : 'looking at every active task each second instead';
}

const SELF_MENDING = 'orange tries again by itself and looks at every active task meanwhile.';
const REMEDIES: Readonly<Record<string, string>> = {
  EMFILE:
    'Too many programs watch files: raise fs.inotify.max_user_instances (sysctl), or the limit of open files.',
  ENOSPC: 'Too many files are watched: raise fs.inotify.max_user_watches (sysctl).',
  missed:
    'Changes came without an event, as on a network file system. Keep ORANGE_HOME on a local disk.',
};

function healthy(text: string): SourceDescription {
  return { isHealthy: true, text, remedy: null };
}
