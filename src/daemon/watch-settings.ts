import { basename } from 'node:path';
import type { Assembly } from './assemble.js';

/** How long a settings file must be quiet before it is read. */
const SETTINGS_QUIET_MS = 150;

/** Settings take effect when they are saved; without a watcher, at the next reconcile. */
export function watchSettings(assembly: Assembly, refresh: () => void): void {
  const { home, machine, loop, broadcaster } = assembly;
  const { paths } = home;
  let timer: NodeJS.Timeout | undefined;
  const takeOver = (): void => {
    refresh();
    loop.see({ kind: 'schedule' });
    broadcaster.publishProblems();
    assembly.filler.nudge();
  };
  const onChange = (name: string | null): void => {
    if (name !== basename(paths.configFile) && name !== basename(paths.projectsFile)) return;
    clearTimeout(timer);
    timer = setTimeout(takeOver, SETTINGS_QUIET_MS);
    timer.unref();
  };
  machine.watching.watch(paths.home, { onChange, onBroken: () => undefined });
}
