import { describe, expect, it } from 'vitest';
import { formatDaemonStatus } from '../../src/cli/commands/daemon-status.js';
import { withoutPaint } from '../../src/cli/paint.js';
import type { Sources } from '../../src/domain/source-health.js';
import { STATUS } from '../fakes/fake-client.js';

const since = '2026-01-01T00:00:00.000Z';
const CONNECTING: Sources = {
  terminals: { state: 'connecting', since },
  files: { state: 'watching', since, directories: 15 },
  sweep: 'full',
};

function lines(sources: Sources, uptime_s: number): readonly string[] {
  const status = { ...STATUS, loop_lag_ms: { p50: 0, p99: 0, max: 0 }, sources, uptime_s };
  return formatDaemonStatus(status, STATUS).split('\n').map(withoutPaint);
}

describe('the sources of events in `daemon status`', () => {
  it('are no alarm while a daemon that was just started connects', () => {
    const told = lines(CONNECTING, 1);
    expect(told).toContain('  connecting to the tmux server, watching 15 directories');
    expect(told.filter((line) => line.includes('!'))).toEqual([]);
  });

  it('mark only what is at fault, and what is done instead', () => {
    const told = lines(CONNECTING, 60);
    expect(told).toContain('  watching 15 directories');
    expect(told.filter((line) => line.includes('!'))).toEqual([
      '  ! connecting to the tmux server',
      '  ! looking at every active task each second instead',
    ]);
  });
});
