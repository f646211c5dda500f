import type { Files, Log, Repositories } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';

/** Removes the checkouts of trials that a daemon which was killed has left; nothing in them is work. */
export async function clearTrials(parts: {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly log: Log;
  readonly repositories: Pick<Repositories, 'clearTrial'>;
}): Promise<void> {
  const { world, files, paths, log, repositories } = parts;
  const left = files.list(paths.trialsDir);
  for (const taskId of left.ok ? left.value : []) {
    const owner = world.tasks.get(taskId)?.fields.project;
    const directory = paths.trialDir(taskId);
    for (const { name, path } of world.projects.values()) {
      if (owner !== undefined && owner !== name) continue;
      const cleared = await repositories.clearTrial(path, directory);
      if (!cleared.ok) {
        const failure = cleared.failure.kind;
        log.write({ event: 'trial.not-removed', level: 'warn', directory, failure });
      }
    }
  }
}
