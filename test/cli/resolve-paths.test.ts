import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { success } from '../../src/domain/result.js';
import { projectView, snapshotOf } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

/** A project's checkout and one of its worktrees, both with a folder src/ui. */
function places() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'or-paths-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [shop, tree] = [join(root, 'shop'), join(root, 'tree')];
  for (const top of [shop, tree]) mkdirSync(join(top, 'src', 'ui'), { recursive: true });
  mkdirSync(join(shop, '.git'));
  writeFileSync(join(tree, '.git'), `gitdir: ${shop}/.git/worktrees/tree\n`);
  return { root, shop, tree };
}

async function check(where: 'shop' | 'tree' | 'root', below: string, path: string) {
  const place = places();
  const facts = {
    root: place.shop,
    isBare: false,
    defaultBranch: 'main',
    hasCommits: true,
    remote: null,
  };
  const rig = cliRig({
    snapshot: snapshotOf([], [{ ...projectView(), path: place.shop }]),
    cwd: join(place[where], below),
    repositories: { inspect: async () => success(facts) },
  });
  const named = path.replace('SHOP', place.shop).replace('TREE', place.tree);
  const ran = await rig.run('locks', 'check', '-p', 'shop', '--', named);
  const asked = rig.client.asked.findLast(({ method }) => method === 'check-locks');
  return { ...ran, paths: asked !== undefined && 'paths' in asked ? asked.paths : null };
}

describe('paths on the command line', () => {
  it.each([
    ['shop', 'src', 'a.txt', 'src/a.txt'],
    ['shop', 'src', 'Makefile', 'src/Makefile'],
    ['shop', 'src', './ui/', 'src/ui/'],
    ['shop', 'src/ui', '../a.txt', 'src/a.txt'],
    ['shop', 'src', '**/*.ts', 'src/**/*.ts'],
    ['shop', 'src', '{a,b}.ts', 'src/{a,b}.ts'],
    ['shop', 'src', '.', 'src'],
    ['shop', 'src', ':/docs/a.md', 'docs/a.md'],
    ['shop', 'src', ':/', '.'],
    ['shop', 'src', 'SHOP/docs/', 'docs/'],
    ['shop', '', 'src/a.txt', 'src/a.txt'],
    ['shop', '', './my folder', './my folder'],
    ['tree', 'src', 'a.txt', 'src/a.txt'],
    ['tree', 'src', 'TREE/docs/a.md', 'docs/a.md'],
    ['tree', 'src', 'SHOP/docs/a.md', 'docs/a.md'],
  ] as const)('in %s/%s %s is %s', async (where, below, path, expected) => {
    expect(await check(where, below, path)).toMatchObject({ exitCode: 0, paths: [expected] });
  });

  it('that are areas mean the same everywhere', async () => {
    expect((await check('shop', 'src', 'auth area')).paths).toEqual(['auth area']);
  });

  it.each(['../../other/a.txt', '/etc/passwd', ':/../x', '..', '../..'])(
    'that lead out are refused by name: %s',
    async (path) => {
      const below = path === '..' ? '' : 'src';
      const ran = await check('shop', below, path);
      expect([ran.exitCode, ran.paths]).toEqual([2, null]);
      expect(ran.stderr).toContain(`"${path}"`);
      expect(ran.stderr).toContain('leads out of the repository');
    },
  );
});

it('paths named outside of every checkout are from the top of the project', async () => {
  const place = places();
  const rig = cliRig({
    snapshot: snapshotOf([], [{ ...projectView(), path: place.shop }]),
    cwd: place.root,
  });
  await rig.run('locks', 'check', '-p', 'shop', 'src/a.txt');
  expect(rig.client.asked.at(-1)).toMatchObject({ paths: ['src/a.txt'] });
});
