import { join } from 'node:path';
import { cleanText } from '../domain/clean-text.js';
import type { Notice } from '../domain/notice.js';
import type { Moment } from '../domain/observation.js';
import { isTerminal } from '../domain/status.js';
import type { Broadcaster } from './broadcaster.js';
import type { LiveWorld } from './live-world.js';
import { NoticeBoard } from './notice-board.js';
import type { Home } from './open-home.js';
import type { Machine } from './open-machine.js';
import type { SettingsKeeper } from './settings-keeper.js';
import { placeNeeds, taskNeeds } from './task-needs.js';

type Parts = {
  readonly home: Home;
  readonly machine: Machine;
  readonly world: LiveWorld;
  readonly settings: SettingsKeeper;
  readonly broadcaster: Broadcaster;
  now(): Moment;
};

/** The board of this home, with every way to tell a person. */
export function openNotices(parts: Parts): NoticeBoard {
  const { home, machine, world } = parts;
  const pathOf = (workspace: string): string => home.paths.workspace(workspace);
  return new NoticeBoard({
    files: home.files,
    path: join(home.paths.runDir, 'notices.json'),
    clock: machine.clock,
    log: home.log,
    needsOf: (subject) => {
      const task = world.tasks.get(subject);
      if (task === undefined) return placeNeeds(world, pathOf).get(subject) ?? null;
      const { id: taskId, status, project, branch } = task.fields;
      if (isTerminal(status)) return null;
      const needs = taskNeeds(world, task, parts.now());
      return { name: `${project}/${branch}`, taskId, needs };
    },
    tell: async (notice) => {
      await Promise.all([machine.notifier.notify(notice), ring(parts, notice)]);
    },
  });
}

/** Rings in every terminal that shows orange: dashboards, and people attached to an agent. */
async function ring({ settings, broadcaster, machine }: Parts, notice: Notice): Promise<void> {
  if (!settings.user.notify.bell) return;
  const words = cleanText(`${notice.title}: ${notice.text}`).replace(/\s+/g, ' ').slice(0, 200);
  broadcaster.publishAlert(words);
  await machine.sessions.alertClients(words);
}
