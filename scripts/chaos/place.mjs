import { appendFileSync, chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inCheckout } from '../lib/checkout.mjs';
import { makeRoot, write } from '../lib/throwaway-root.mjs';
import { AGENT_SCRIPT, REVIEWERS, WORKERS } from './agents.mjs';
import { makeForeign } from './foreign.mjs';
import { mustRun, run } from './run.mjs';

export const PROJECT = 'shop';
export const POOL_SIZE = 3;
const SMALL_DISK = '8m';
/** Twenty variables that hold secrets (G12), called as such things are. */
const SECRET_NAMES = ['AWS', 'GITHUB', 'NPM', 'SHOP', 'STRIPE'].flatMap((owner) =>
  ['API_KEY', 'TOKEN', 'PASSWORD', 'SECRET_ACCESS_KEY'].map((kind) => `${owner}_${kind}`),
);

/** A home, a repository, somebody else's things beside them, and what the oracle needs to know. */
export async function makePlace({ program, secret, disk = 'large' }) {
  const { root, home, env: common } = makeRoot({ prefix: 'oc-', author: 'Chaos' });
  const chaos = join(root, 'chaos');
  const repository = join(root, PROJECT);
  // What all of them have in common is what the oracle looks for.
  const secrets = SECRET_NAMES.map((name) => [name, `${secret}-${name.toLowerCase()}`]);
  const env = { ...common, ...githubEnvironment(root), ...Object.fromEntries(secrets) };
  const isSmall = disk === 'small' && (await mountSmall(home));
  mkdirSync(join(chaos, 'busy'), { recursive: true });
  mkdirSync(join(chaos, 'lives'));
  write(join(chaos, 'blobs'), '');
  write(join(chaos, 'agent.sh'), AGENT_SCRIPT);
  const git = (directory, ...args) => mustRun('git', ['-C', directory, ...args], { env });
  await makeRepository(git, repository);
  const hub = await makeHub({ root, repository, env, git });
  const row = { name: PROJECT, path: repository, default_branch: 'main', pool_size: POOL_SIZE };
  writeClosed(join(home, 'projects.json'), JSON.stringify([row]));
  writeClosed(join(home, 'config.yaml'), JSON.stringify(settings(chaos), null, 2));
  // What the oracle has seen of the base so far.
  const base = { tip: null };
  const place = { root, home, chaos, repository, hub, env, secret, program, git, base };
  const foreign = await makeForeign(place);
  return {
    ...place,
    foreign,
    isSmall,
    remount: (mode) => run('mount', ['-o', `remount,${mode}`, home]),
    socket: join(home, 'run', 'daemon.sock'),
    tmuxSocket: join(home, 'run', 'tmux.sock'),
    tmux: (...args) =>
      run('tmux', ['-N', '-u', '-S', join(home, 'run', 'tmux.sock'), ...args], { env }),
  };
}

/** As orange leaves its files; the oracle complains of any that are open to others. */
function writeClosed(path, text) {
  write(path, text);
  chmodSync(path, 0o600);
}

/** A disk of its own that is soon full; only root may have one. */
async function mountSmall(home) {
  const options = `size=${SMALL_DISK},mode=700`;
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', home]);
  return mounted.code === 0;
}

async function makeRepository(git, repository) {
  mkdirSync(repository);
  await git(repository, 'init', '--quiet');
  write(join(repository, 'README.md'), '# Shop\n');
  write(join(repository, '.gitignore'), 'cache/\n');
  await git(repository, 'add', '--all');
  await git(repository, 'commit', '--quiet', '--message', 'Start');
}

/** A gh that stands in for GitHub's. */
function githubEnvironment(root) {
  const path = `${inCheckout('test/fixtures/gh-stand-in')}:${process.env.PATH}`;
  return { PATH: path, GH_STAND_IN_STATE: join(root, 'github.json') };
}

/** What is pushed goes to a bare repository on the same disk, which passes for one on GitHub. */
async function makeHub({ root, repository, env, git }) {
  const hub = join(root, 'hub.git');
  const address = 'github.com/acme/shop';
  appendFileSync(env.GIT_CONFIG_GLOBAL, `[url "${hub}"]\n\tinsteadOf = https://${address}.git\n`);
  const state = { repository: address, remote: hub, isLoggedIn: true, trouble: null, pulls: [] };
  write(env.GH_STAND_IN_STATE, JSON.stringify(state));
  await git(root, 'init', '--quiet', '--bare', hub);
  await git(repository, 'remote', 'add', 'origin', `https://${address}.git`);
  await git(repository, 'push', '--quiet', 'origin', 'main');
  return hub;
}

// JSON is YAML too.
function settings(chaos) {
  const script = join(chaos, 'agent.sh');
  const env = { CHAOS: chaos };
  const workers = WORKERS.map((kind) => [
    kind,
    { command: ['/bin/sh', script, 'worker', kind], env },
  ]);
  const reviewers = REVIEWERS.map((kind) => [
    kind,
    { command: ['/bin/sh', script, 'reviewer', kind], env },
  ]);
  return {
    sweep_seconds: 0.2,
    reconcile_seconds: 1,
    notify: { desktop: false, bell: false },
    harnesses: Object.fromEntries([...workers, ...reviewers]),
    harness_order: ['steady'],
    pool: { setup: ['mkdir -p cache && echo ready > cache/ready'] },
    policy: {
      settle_ms: 50,
      respawn_backoff_seconds: [0.1],
      crash_limit: 2,
      max_review_rounds: 2,
      checks: { merge: ['true'], handoff: ['true'] },
    },
  };
}
