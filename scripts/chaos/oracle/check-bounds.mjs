import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MAX_FILES = 120;
const MAX_RSS_KB = 300 * 1024;

/** I9: the daemon has few files open and little memory, and nothing half written lies about. */
export function checkBounds({ home }, pid) {
  const problems = [];
  const open = readdirSync(`/proc/${pid}/fd`).length;
  if (open > MAX_FILES) problems.push(`I9 the daemon has ${open} files open`);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const rss = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  if (rss > MAX_RSS_KB) problems.push(`I9 the daemon has ${rss} kB in memory`);
  const litter = readdirSync(home, { recursive: true }).filter((name) =>
    /\.[0-9a-f]{12}\.tmp$/.test(name),
  );
  for (const name of litter) problems.push(`I9 ${join(home, name)}: a half-written file was left`);
  return problems;
}
