import { describe, expect, it } from 'vitest';
import {
  describeFiles,
  describeSweep,
  describeTerminals,
} from '../../src/domain/describe-sources.js';

const since = '2026-01-01T00:00:00.000Z';
const AT_ONCE = 1;
const LATER = 60;

describe('sources of events in words', () => {
  it('are well while terminals and files tell what happens', () => {
    expect(describeTerminals({ state: 'connected', since }, LATER).isHealthy).toBe(true);
    expect(describeTerminals({ state: 'no-server', since }, LATER).isHealthy).toBe(true);
    expect(describeFiles({ state: 'watching', since, directories: 1 })).toEqual({
      isHealthy: true,
      text: 'watching 1 directory',
      remedy: null,
    });
  });

  it('name why the terminals cannot be heard', () => {
    expect(describeTerminals({ state: 'down', since, reason: 'no answer' }, LATER)).toMatchObject({
      isHealthy: false,
      text: 'no connection to the tmux server: no answer',
    });
    expect(describeTerminals({ state: 'connecting', since }, LATER).isHealthy).toBe(false);
  });

  it('are no fault while a daemon that was just started connects', () => {
    expect(describeTerminals({ state: 'connecting', since }, AT_ONCE)).toEqual({
      isHealthy: true,
      text: 'connecting to the tmux server',
      remedy: null,
    });
  });

  it.each([
    ['EMFILE', 'max_user_instances'],
    ['ENOSPC', 'max_user_watches'],
    ['missed', 'local disk'],
    ['EACCES', 'tries again'],
  ])('F18 say what to do about %s', (reason, word) => {
    const described = describeFiles({ state: 'broken', since, directories: 2, reason });
    expect(described.text).toContain(reason);
    expect(described.remedy).toContain(word);
  });

  it('tell what orange does instead', () => {
    expect(describeSweep({ sweep: 'full' })).toContain('each second');
    expect(describeSweep({ sweep: 'net' })).toContain('net');
  });
});
