import type { Assembly } from './assemble.js';
import { reloadTask, reloadUnread } from './load-world.js';
import { resumeOwed, takeOverOwed } from './take-over-owed.js';

/** Goes on with tasks whose histories could not be read or completed before, and now can. */
export function welcomeBack(assembly: Assembly): void {
  const { home, machine, world, observer, supervisor, stuck } = assembly;
  const parts = { ...home, ...machine, world, observer, stuck };
  for (const { taskId: id, project, owed } of stuck.retry()) {
    reloadTask(parts, { project, id });
    resumeOwed(assembly, takeOverOwed(parts, owed), [id]);
    supervisor.welcome([id]);
  }
  const readable = reloadUnread(parts);
  resumeOwed(assembly, [], readable);
  supervisor.welcome(readable);
}
