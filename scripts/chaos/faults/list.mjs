import { readFileSync } from 'node:fs';
import { inCheckout } from '../../lib/checkout.mjs';
import { killAt, sleepAt, throwAt } from './at-failpoint.mjs';
import { killAtRandom } from './kill-at-random.mjs';

/** The names of all failpoints, and those of them that can throw, as the product's list has them. */
export function failpointNames() {
  const text = readFileSync(inCheckout('src/domain/failpoint-names.ts'), 'utf8');
  const [io = '', step = ''] = text.split('STEP_FAILPOINTS');
  return { io: namesIn(io), all: [...namesIn(io), ...namesIn(step)] };
}

function namesIn(part) {
  return [...part.matchAll(/^ {2}'([a-z.-]+)': '/gm)].map(([, name]) => name);
}

const CODES = ['ENOSPC', 'EIO', 'EMFILE', 'EACCES'];

/** Every fault, in the order of one pass; `pass` turns the error codes round. */
export function allFaults(pass = 0) {
  const { io, all } = failpointNames();
  const codeFor = (index) => CODES[(index + pass) % CODES.length];
  const sleeping = all.filter((_, index) => index % 24 === pass % 24);
  return [
    ...all.map(killAt),
    ...io.map((name, index) => throwAt(name, codeFor(index))),
    throwAt('command.before-run', 'ETIMEDOUT'),
    ...sleeping.map(sleepAt),
    killAtRandom,
  ];
}
