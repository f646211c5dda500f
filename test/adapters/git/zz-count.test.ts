import { it } from 'vitest';
import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { GitRig, value } from './git-rig.js';
it('counts', async () => {
  await using rig = new GitRig();
  rig.withCommit(); rig.withRemote();
  const log = join(rig.root, 'log');
  const env = { ...rig.env, PATH: '/tmp/shim-2131:' + rig.env['PATH'], SHIM_LOG: log };
  const r = rig.createRepositories(env);
  const step = async (name: string, f: () => Promise<any>) => {
    writeFileSync(log, ''); const t = performance.now(); value(await f());
    const lines = readFileSync(log, 'utf8').trim().split('\n').map((l) => l.replace(/^(-c \S+ )+-C \S+ /, ''));
    console.log(name, lines.length, Math.round(performance.now() - t) + 'ms\n' + lines.map(l=>l.slice(0,100)).join('\n'));
  };
  await step('version', () => r.inspect(rig.repository));
  await step('bind', () => r.bind(rig.bindRequest()));
  rig.commit(rig.worktree, { n: '1' });
  await step('merge', () => r.merge(rig.mergeRequest()));
  await step('release', () => r.release({ repository: rig.repository, worktree: rig.worktree, defaultBranch: 'main', taskId: 'x1' }));
  await step('bind2', () => r.bind(rig.bindRequest({ branch: 'b2' })));
  rig.write(join(rig.worktree, 'a.txt'), 'x');
  await step('release dirty', () => r.release({ repository: rig.repository, worktree: rig.worktree, defaultBranch: 'main', taskId: 'x1' }));
});
