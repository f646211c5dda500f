import { CHECKS } from './checks.mjs';
import { say, seconds } from './say.mjs';

/** Runs every check, the rest too when one fails, and gives one row each. */
export async function runChecks() {
  const rows = [];
  for (const { name, find } of CHECKS) {
    const start = performance.now();
    const problem = await find();
    const took = seconds(performance.now() - start);
    say(`${problem === null ? 'ok  ' : 'FAIL'}  ${name} (${took})`);
    if (problem !== null) say(`${problem}\n`);
    rows.push({ name, isGood: problem === null, said: problem === null ? 'ok' : 'failed', took });
  }
  return rows;
}
