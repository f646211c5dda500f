import { describe, expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { blameHome } from '../../src/cli/blame-home.js';
import { describeFailure } from '../../src/domain/describe-failure.js';
import { newDirectory } from '../api/rig.js';

const files = createDiskFiles();

function blame(home: string) {
  const path = `${home}/run/daemon.err`;
  return blameHome(files, home, { kind: 'io-failed', path, operation: 'open', code: 'ENOENT' });
}

describe('a daemon that cannot be started', () => {
  it.each([
    ['/proc/no-home', 'The home /proc/no-home cannot be used: it cannot be made (ENOENT).'],
    ['/etc/passwd/home', 'The home /etc/passwd/home cannot be used: it cannot be made (ENOENT).'],
    ['/etc/passwd', 'The home /etc/passwd cannot be used: it is a file.'],
  ])('because of its home %s names ORANGE_HOME', (home, message) => {
    const described = describeFailure(blame(home));
    expect(described.message).toBe(message);
    expect(described.hint).toContain('ORANGE_HOME');
  });

  it('in a home that is there is told as it is', () => {
    expect(blame(newDirectory())).toMatchObject({ kind: 'io-failed' });
    const other = { kind: 'daemon-unreachable', reason: 'ENOENT' } as const;
    expect(blameHome(files, '/proc/no-home', other)).toBe(other);
  });
});
