import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/doctor/diagnose.js';
import type { Survey } from '../../src/doctor/survey.js';
import { brief, buildSurvey } from '../builders/survey.js';
import { buildTaskIn } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';

const paths = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `/home/pat/orange/${index}`);

const ROWS: readonly (readonly [string, Partial<Survey>, readonly string[]])[] = [
  ['nothing in an empty home', {}, []],
  [
    'F54 a terminal server that lost its socket, and no session with it',
    {
      world: buildWorld({ tasks: [buildTaskIn('working')] }),
      terminal: { kind: 'lost-socket', pid: 7, socket: '/run/tmux.sock' },
      pool: {
        kind: 'read',
        pool: { workspaces: { 'shop--1': { status: 'bound', task: 'shop/dark-mode' } } },
      },
    },
    ['terminal-server safe'],
  ],
  [
    'a terminal server that does not answer',
    { terminal: { kind: 'silent', reason: 'it is stopped' } },
    ['terminal-server by-hand'],
  ],
  [
    'F24 what a dead daemon left',
    { isDaemon: false, leftovers: [{ path: '/run/daemon.sock', what: 'socket' }] },
    ['leftovers safe'],
  ],
  [
    'what others can get at',
    { openPaths: [{ path: '/home/pat/orange', mode: 0o755, wanted: 0o700 }] },
    ['permissions with-fix'],
  ],
];

describe('the doctor finds', () => {
  it.each(ROWS)('%s', (_, survey, then) => {
    expect(brief(diagnose(buildSurvey(survey)))).toEqual(then);
  });

  it('much litter and names some of it', () => {
    const leftovers = paths(5).map((path) => ({ path, what: 'temporary' }) as const);
    const [found] = diagnose(buildSurvey({ leftovers }));
    expect(found?.message).toBe(
      'nobody needs /home/pat/orange/0, /home/pat/orange/1, /home/pat/orange/2 and 2 more any more',
    );
  });
});
