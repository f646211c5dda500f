import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';

const LIMIT_MS = 120_000;

/** Commits so many small files, a hundred to a folder, with something for git to ignore. */
export async function fillRepository(git, repository, files) {
  writeFileSync(join(repository, '.gitignore'), 'cache/\n');
  writeFileSync(join(repository, 'package-lock.json'), '{}\n');
  for (let number = 0; number < files; number += 1) {
    const folder = join(repository, `d${Math.floor(number / 100)}`);
    if (number % 100 === 0) mkdirSync(folder);
    writeFileSync(join(folder, `f${number}.txt`), `line ${number}\n`);
  }
  await git(repository, 'add', '-A');
  await git(repository, 'commit', '-qm', 'Fill');
}

/** Git in an environment; what it cannot do is the end of the benchmark. */
export function gitIn(env) {
  return async (directory, ...args) => {
    const ended = await runProgram('git', ['-C', directory, ...args], { env, timeoutMs: LIMIT_MS });
    if (ended.code !== 0) throw new Error(`git ${args.join(' ')}: ${ended.stderr}`);
  };
}
