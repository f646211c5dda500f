import { it } from 'vitest';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { createRig } from './orange-rig.js';
import { PASSING_REVIEWER, STEADY_WORKER } from './agent-prelude.js';
const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const log = (...a: unknown[]) => process.stderr.write(a.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))).join(' ') + '\n');
it('json everywhere', async () => {
  await using rig = await createRig({ agents: { plain: { worker: 'idle' } }, poolSize: 2 });
  const id = await rig.create('b', 'x', ...PLAIN);
  for (const args of [['project', 'list'], ['project', 'trust', 'shop'], ['project','update','shop','--pool-size','2'], ['task','log',id], ['task','diff',id], ['workspace','list'],['workspace','init'],['workspace','gc'],['next'],['next','--explain'],['daemon','start'],['daemon','status'],['daemon','restart'],['log'],['validate'],['harness','list'],['doctor'],['task','send',id,'hi'],['task','respawn',id],['task','attach',id],['task','update',id,'--summary','y'],['task','cancel',id,'--yes'],['task','reopen',id],['task','delete',id,'--yes'],['daemon','stop'], [], ['task'], ['--version'], ['--help'], ['help','task','create']]) {
    const a = await rig.orange(...args, '--json');
    let ok = 'JSON'; try { JSON.parse(a.stdout); } catch { ok = 'NOT-JSON'; }
    log(args.join(' ') || '(none)', a.code, ok, a.stdout.replace(/\s+/g, ' ').slice(0, 260), a.stderr.slice(0, 200));
  }
});
it('repos', async () => {
  await using rig = await createRig({ agents: { plain: { worker: STEADY_WORKER, reviewer: PASSING_REVIEWER } } });
  const bare = join(rig.root, 'bare.git');
  rig.git(rig.root, 'clone', '--quiet', '--bare', rig.repository, bare);
  let a = await rig.orange('project', 'add', bare, '--name', 'bare', '--json'); log('bare', a.code, a.stdout);
  a = await rig.orange('task', 'create', 'inbare', 'x', ...PLAIN, '--project', 'bare', '--json'); log('bare create', a.code, a.stdout);
  const id = a.json<{ id: string }>().id;
  a = await rig.orange('task', 'wait', id, '--status', 'reviewing', '--timeout', '20'); log('wait', a.code, a.stdout, a.stderr);
  a = await rig.orange('task', 'merge', id, '--yes', '--json'); log('merge', a.code, a.stdout);
  log(rig.git(bare, 'log', '--oneline', 'main'));
  rig.write(join(rig.root, 'empty', 'x'), ''); rig.git(join(rig.root, 'empty'), 'init', '-q');
  a = await rig.orange('project', 'add', join(rig.root, 'empty'), '--json'); log('no commits', a.code, a.stdout);
  a = await rig.orange('project', 'add', rig.root, '--json'); log('not repo', a.code, a.stdout);
  a = await rig.orange('project', 'add', join(rig.root, 'missing'), '--json'); log('missing', a.code, a.stdout);
  const moved = join(rig.root, 'moved'); renameSync(rig.repository, moved);
  a = await rig.run(['doctor'], { cwd: rig.root }); log('doctor', a.code, a.stdout);
  a = await rig.run(['task', 'create', 'm', 'x', ...PLAIN, '--project', 'shop', '--json'], { cwd: rig.root }); log('create in missing', a.code, a.stdout);
  a = await rig.run(['project', 'update', 'shop', '--path', moved, '--json'], { cwd: rig.root }); log('update path', a.code, a.stdout);
  a = await rig.run(['task', 'create', 'm2', 'x', ...PLAIN, '--project', 'shop', '--json'], { cwd: rig.root }); log('create', a.code, a.stdout);
});
