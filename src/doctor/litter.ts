import type { Finding } from '../domain/finding.js';
import { makeFinding } from './make-finding.js';
import type { Survey } from './survey.js';

const SHOWN = 3;

/** What lies about that nobody needs, and what others on this machine could get at. */
export function findLitter(survey: Survey): readonly Finding[] {
  return [...findLeftovers(survey), ...findOpenPaths(survey)];
}

function findLeftovers({ leftovers }: Survey): readonly Finding[] {
  if (leftovers.length === 0) return [];
  return [
    makeFinding({
      class: 'leftovers',
      message: `nobody needs ${listPaths(leftovers.map(({ path }) => path))} any more`,
      remedy: 'The daemon removes it now and then; at once: orange doctor --fix leftovers',
      fixable: 'safe',
      path: leftovers[0]?.path ?? null,
    }),
  ];
}

function findOpenPaths({ openPaths }: Survey): readonly Finding[] {
  if (openPaths.length === 0) return [];
  const named = openPaths.map(({ path, mode }) => `${path} (${mode.toString(8)})`);
  return [
    makeFinding({
      class: 'permissions',
      message: `others on this machine can get at ${listPaths(named)}`,
      remedy: 'Close them: orange doctor --fix permissions',
      fixable: 'with-fix',
      path: openPaths[0]?.path ?? null,
    }),
  ];
}

function listPaths(paths: readonly string[]): string {
  const more = paths.length - SHOWN;
  const shown = paths.slice(0, SHOWN).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
