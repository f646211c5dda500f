import { describe, expect, it } from 'vitest';
import { InternalError } from '../../src/domain/failure.js';
import { createPaths, defaultHome, projectSettingsFile } from '../../src/record/paths.js';

const paths = createPaths('/home/u/orange');

describe('paths', () => {
  it('ORA-1 the home is ~/orange unless ORANGE_HOME says otherwise', () => {
    expect(defaultHome({}, '/home/u')).toBe('/home/u/orange');
    expect(defaultHome({ ORANGE_HOME: '' }, '/home/u')).toBe('/home/u/orange');
    expect(defaultHome({ ORANGE_HOME: '/srv/o' }, '/home/u')).toBe('/srv/o');
  });

  it('ORA-2 ORA-3 ORA-5 ORA-6 places the files of the home', () => {
    expect(paths.projectsFile).toBe('/home/u/orange/projects.json');
    expect(paths.configFile).toBe('/home/u/orange/config.yaml');
    expect(paths.logFile).toBe('/home/u/orange/orange.log');
    expect(paths.poolFile).toBe('/home/u/orange/workspaces/.pool.json');
    expect(paths.workspace('orange--1')).toBe('/home/u/orange/workspaces/orange--1');
    expect(paths.daemonSocket).toBe('/home/u/orange/run/daemon.sock');
    expect(paths.tmuxSocket).toBe('/home/u/orange/run/tmux.sock');
    expect(paths.outboxDir).toBe('/home/u/orange/run/outbox');
    expect(paths.launchDir('abc')).toBe('/home/u/orange/run/abc');
    expect(projectSettingsFile('/repo')).toBe('/repo/orange.yaml');
  });

  it('ORA-7 ORA-8 ORA-9 places the files of a task', () => {
    expect(paths.taskDir('p', 'abc')).toBe('/home/u/orange/tasks/p/abc');
    expect(paths.taskFile('p', 'abc')).toBe('/home/u/orange/tasks/p/abc/TASK.md');
    expect(paths.historyFile('p', 'abc')).toBe('/home/u/orange/tasks/p/abc/history.jsonl');
    expect(paths.transcriptsDir('p', 'abc')).toBe('/home/u/orange/tasks/p/abc/transcripts');
  });

  it.each(['', '.', '..', 'a/b', '../x', 'a\0b', 'a\\b'])(
    'F71 never follows the name %j',
    (name) => {
      expect(() => paths.taskDir('p', name)).toThrow(InternalError);
      expect(() => paths.taskDir(name, 'abc')).toThrow(InternalError);
      expect(() => paths.workspace(name)).toThrow(InternalError);
    },
  );
});
