import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isStatus, STATUSES } from '../../src/domain/status.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('ORA-74 the nine statuses are listed in one place, and every document that has them agrees', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file),
  );
  const lists = sources.filter((file) => {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    return /= \[\s*'pending',\s*'planning',/.test(text);
  });
  expect(lists).toEqual([join('domain', 'status.ts')]);
  const states = readFileSync(join(root, 'docs', 'task-states.md'), 'utf8');
  for (const status of STATUSES) expect(states).toContain(status);
  expect(STATUSES).toHaveLength(9);
  expect(isStatus('paused')).toBe(false);
});
