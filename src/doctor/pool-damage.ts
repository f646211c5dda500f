import type { Finding } from '../domain/finding.js';
import type { PoolRow } from '../domain/pool.js';
import type { TaskState } from '../domain/world.js';
import { findHolders } from './find-holders.js';
import { makeFinding, nameOf } from './make-finding.js';
import type { Survey } from './survey.js';

/** Where .pool.json cannot be read, or says something else than the tasks and the disk. */
export function findPoolDamage(survey: Survey): readonly Finding[] {
  const found = complaints(survey);
  if (found.length === 0) return [];
  return [
    makeFinding({
      class: 'pool-file',
      message: `${survey.poolFile} ${found.join('; ')}`,
      remedy:
        'It is written anew from TASK.md, git and the disk: the daemon does, or orange repair.',
      fixable: 'safe',
      path: survey.poolFile,
    }),
  ];
}

function complaints(survey: Survey): readonly string[] {
  const holders = findHolders(survey.world);
  switch (survey.pool.kind) {
    case 'damaged':
      return survey.pool.diagnostics.map(({ line, message }) => `line ${line}: ${message}`);
    case 'absent':
      return holders.size === 0 ? [] : ['is missing'];
    case 'read': {
      const rows = new Map(Object.entries(survey.pool.pool.workspaces));
      const missing = [...holders].filter(([workspace]) => !rows.has(workspace));
      return [
        ...missing.map(
          ([workspace, task]) => `lacks ${workspace}, which ${nameOf(task.fields)} has`,
        ),
        ...[...rows].flatMap(([workspace, row]) =>
          complaintAbout(survey, { workspace, row, holder: holders.get(workspace) }),
        ),
      ];
    }
  }
}

function complaintAbout(
  survey: Survey,
  entry: {
    readonly workspace: string;
    readonly row: PoolRow;
    readonly holder: TaskState | undefined;
  },
): readonly string[] {
  const { workspace, row, holder } = entry;
  const said = row.status === 'bound' ? row.task : null;
  const withheld = survey.world.withheld?.get(workspace)?.task ?? null;
  const meant = holder === undefined ? withheld : nameOf(holder.fields);
  if (said !== meant) {
    return [`says that ${workspace} is ${describe(said)}, but it is ${describe(meant)}`];
  }
  const known = survey.worktrees.find((worktree) => worktree.workspace === workspace);
  const isGone = holder === undefined && known === undefined;
  return isGone ? [`lists ${workspace}, which does not exist`] : [];
}

function describe(task: string | null): string {
  return task === null ? 'free' : `bound to ${task}`;
}
