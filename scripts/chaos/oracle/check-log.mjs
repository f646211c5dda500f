import { join } from 'node:path';
import { names, readText } from './read-home.mjs';
import { violation } from './violation.mjs';

/** Bugs that orange itself has noticed and lived through: there must be none. */
export function checkLog({ home }) {
  const files = names(home).filter((name) => /^orange\.\d.*log$|^orange\.[^.]*\.log$/.test(name));
  return files
    .flatMap((name) => (readText(join(home, name)) ?? '').split('\n'))
    .filter((line) => line.includes('"bug":') || line.includes('"event":"api.bug"'))
    .map((line) => violation('I10', 'a bug in the log', line.slice(0, 1500)));
}
