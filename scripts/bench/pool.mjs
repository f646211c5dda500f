import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMs, ratioRow } from '../lib/bench-rows.mjs';
import { bundlePart } from '../lib/bundle-part.mjs';
import { fillRepository, gitIn } from '../lib/large-repository.mjs';
import { runProgram } from '../lib/run-program.mjs';
import { median } from '../lib/statistics.mjs';

// Stands for what `npm ci` and its like leave: many files that git ignores.
const SETUP =
  'mkdir -p cache && i=0; while [ $i -lt 2000 ]; do echo $i > cache/$i; i=$((i+1)); done';
const POOL = {
  setup: [SETUP],
  setupFiles: ['package-lock.json'],
  setupTimeoutMinutes: 5,
  copy: [],
};

/** What a warm worktree saves, and what orange adds to the git commands that it cannot do without. */
export async function measure({ isQuick }) {
  const rows = [];
  for (const files of isQuick ? [500] : [5_000, 50_000]) rows.push(...(await bind(files, isQuick)));
  rows.push(await bindAtOnce(isQuick ? 500 : 5_000));
  return rows;
}

async function bind(files, isQuick) {
  const place = await openPlace(files);
  try {
    const times = { warm: [], bare: [], cold: [] };
    await place.warm('one');
    await place.git(place.repository, 'worktree', 'add', '-q', '--detach', place.path('bare'));
    for (let round = 0; round < (isQuick ? 3 : 9); round += 1) {
      times.warm.push(await time(() => place.bind('one', `warm-${round}`)));
      await place.release('one');
      times.bare.push(await time(() => bareBind(place, `bare-${round}`)));
      await place.git(place.path('bare'), 'checkout', '-q', '--detach', 'main');
      if (round < 3) times.cold.push(await time(() => addWorktree(place, `cold-${round}`)));
    }
    const size = files.toLocaleString('en');
    const what = `bind a warm worktree, ${size} files`;
    const bare = { name: '`git switch -c` + `git reset`', ms: median(times.bare) };
    return [
      ratioRow(what, median(times.warm), bare, 1.3),
      fasterRow(what, median(times.warm), median(times.cold), files >= 50_000 ? 5 : 0),
    ];
  } finally {
    place.close();
  }
}

async function bareBind(place, branch) {
  await place.git(place.path('bare'), 'switch', '-c', branch);
  await place.git(place.path('bare'), 'reset');
}

async function addWorktree(place, name) {
  await place.git(place.repository, 'worktree', 'add', '-q', '-b', name, place.path(name));
  const ended = await runProgram('/bin/sh', ['-c', SETUP], { cwd: place.path(name) });
  if (ended.code !== 0) throw new Error(`the set-up failed: ${ended.stderr}`);
}

function fasterRow(what, ms, against, least) {
  const ratio = against / ms;
  const compared = `${ratio.toFixed(1)} × faster than \`git worktree add\` + the same set-up (${inMs(against)})`;
  const row = { what, figure: inMs(ms), compared };
  return least === 0 ? row : { ...row, limit: `≥ ${least} ×`, isMet: ratio >= least };
}

async function bindAtOnce(files) {
  const place = await openPlace(files);
  const names = Array.from({ length: 10 }, (_, index) => `tree-${index}`);
  try {
    for (const name of names) await place.warm(name);
    const times = { atOnce: [], inTurn: [] };
    for (let round = 0; round < 15; round += 1) {
      times.inTurn.push(
        await time(async () => {
          for (const name of names) await place.bind(name, `turn-${round}-${name}`);
        }),
      );
      for (const name of names) await place.release(name);
      times.atOnce.push(
        await time(() =>
          Promise.all(names.map((name) => place.bind(name, `once-${round}-${name}`))),
        ),
      );
      for (const name of names) await place.release(name);
    }
    const inTurn = { name: '10 in sequence', ms: median(times.inTurn) };
    const what = `10 binds at once on one repository, ${files.toLocaleString('en')} files`;
    return ratioRow(what, median(times.atOnce), inTurn, 0.7);
  } finally {
    place.close();
  }
}

async function openPlace(files) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'op-')));
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: root,
    GIT_CONFIG_GLOBAL: join(root, 'gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const author = '[user]\n\tname = Pat Bench\n\temail = pat@bench.invalid\n';
  writeFileSync(
    env.GIT_CONFIG_GLOBAL,
    `${author}[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n`,
  );
  const repository = join(root, 'shop');
  mkdirSync(repository);
  const git = gitIn(env);
  await git(repository, 'init', '-q');
  await fillRepository(git, repository, files);
  const part = await import(await bundlePart('scripts/lib/bare-pool.mjs', 'bare-pool'));
  const repositories = part.openRepositories(env);
  const path = (name) => join(root, name);
  const at = (name) => ({ repository, worktree: path(name), defaultBranch: 'main' });
  const prepare = async (name) => {
    const logFile = join(root, `${name}.log`);
    const request = { ...at(name), pool: POOL, env, logFile, onStep: () => {} };
    must(await repositories.prepare(request));
  };
  const bindTo = async (name, branch) => {
    const taskId = branch.replaceAll('-', '');
    must(await repositories.bind({ ...at(name), branch, base: null, taskId }));
    await prepare(name);
  };
  const release = async (name) =>
    must(await repositories.release({ ...at(name), taskId: 'bench' }));
  return {
    repository,
    git,
    path,
    bind: bindTo,
    release,
    /** Through one task already, as all but the first find it. */
    warm: async (name) => {
      await bindTo(name, `first-${name}`);
      await release(name);
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

function must(result) {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
}

async function time(act) {
  const start = performance.now();
  await act();
  return performance.now() - start;
}
