import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createWatching } from '../../src/adapters/watch-directory.js';

const workshop = mkdtempSync(join(tmpdir(), 'or-watch-'));
afterAll(() => rmSync(workshop, { recursive: true, force: true }));

const DEAF = { onChange: () => undefined, onBroken: () => undefined };

function startWatch(name: string) {
  const directory = join(workshop, name);
  mkdirSync(directory);
  const seen: (string | null)[] = [];
  const broken: string[] = [];
  const watch = createWatching().watch(directory, {
    onChange: (entry) => seen.push(entry),
    onBroken: (code) => broken.push(code),
  });
  if (!watch.ok) throw new Error(JSON.stringify(watch.failure));
  return { directory, seen, broken, close: () => watch.value.close() };
}

describe('watching a directory', () => {
  it('F36 sees a file written, replaced by rename, and written again', async () => {
    const { directory, seen, close } = startWatch('a');
    for (let round = 0; round < 3; round += 1) {
      writeFileSync(join(directory, 'draft'), String(round));
      renameSync(join(directory, 'draft'), join(directory, 'TASK.md'));
      await vi.waitFor(() => expect(seen).toContain('TASK.md'), 20_000);
      seen.length = 0;
      writeFileSync(join(directory, 'TASK.md'), 'in place');
      await vi.waitFor(() => expect(seen).toContain('TASK.md'), 20_000);
      seen.length = 0;
    }
    close();
  });

  it('says nothing after it was closed', async () => {
    const { directory, seen, close } = startWatch('b');
    close();
    writeFileSync(join(directory, 'x'), '');
    const other = startWatch('c');
    writeFileSync(join(other.directory, 'y'), '');
    await vi.waitFor(() => expect(other.seen).toContain('y'), 20_000);
    expect(seen).toEqual([]);
    other.close();
  });

  it('fails with the reason where there is nothing to watch', () => {
    const directory = join(workshop, 'missing');
    expect(createWatching().watch(directory, DEAF)).toEqual({
      ok: false,
      failure: { kind: 'io-failed', path: directory, operation: 'watch', code: 'ENOENT' },
    });
  });

  it('tells of the end of the directory itself and does not throw', async () => {
    const { directory, seen, close } = startWatch('d');
    rmSync(directory, { recursive: true });
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0), 20_000);
    close();
  });
});
