import { readFileSync } from 'node:fs';
import { inCheckout } from '../../lib/checkout.mjs';
import { AGENT_FAULTS } from './agents.mjs';
import { killAt, sleepAt, throwAt } from './at-failpoint.mjs';
import { CLIENT_FAULTS } from './clients.mjs';
import { LIFE_FAULTS } from './daemon-life.mjs';
import { FILE_FAULTS } from './files.mjs';
import { LIMIT_FAULTS } from './limits.mjs';
import { TERMINAL_FAULTS } from './terminal.mjs';
import { WORKTREE_FAULTS } from './worktrees.mjs';

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
    ...LIFE_FAULTS,
    ...TERMINAL_FAULTS,
    ...AGENT_FAULTS,
    ...FILE_FAULTS,
    ...LIMIT_FAULTS,
    ...CLIENT_FAULTS,
    ...WORKTREE_FAULTS,
  ];
}
