import { readdirSync, readFileSync } from 'node:fs';
import { pause } from '../wait.mjs';
import { pathsBelow } from './paths-below.mjs';
import { violation } from './violation.mjs';

const LIMITS = { files: 120, rssKb: 300 * 1024 };
/** A file that is being written is put in its place within this time. */
const WRITE_MS = 500;

/** I9: the daemon has few files open and little memory, and nothing half written lies about. */
export async function checkBounds({ home }, pid, limits = LIMITS) {
  const problems = [];
  const open = readdirSync(`/proc/${pid}/fd`).length;
  if (open > limits.files) problems.push(violation('I9', 'open files', `the daemon has ${open}`));
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const rss = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  if (rss > limits.rssKb) problems.push(violation('I9', 'memory', `the daemon has ${rss} kB`));
  const litter = await findLitter(home);
  for (const path of litter) problems.push(violation('I9', path, 'a half-written file was left'));
  return problems;
}

async function findLitter(home) {
  const early = halfWritten(home);
  if (early.length === 0) return [];
  await pause(WRITE_MS);
  const late = halfWritten(home);
  return early.filter((path) => late.includes(path));
}

function halfWritten(home) {
  return pathsBelow(home).filter((path) => /\.[0-9a-f]{12}\.tmp$/.test(path));
}
