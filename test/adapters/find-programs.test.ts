import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type ProcessTable, createProcessTable } from '../../src/adapters/process-table.js';
import { must } from '../rigs/must.js';

const NAME = `name-${process.pid}`;

/** A shell with these arguments, and a child of its own. */
async function start(...argv: readonly string[]) {
  const script = ['-c', 'sleep 1000 & echo $!; wait', ...argv];
  const child = spawn('sh', script, { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const [line] = await once(child.stdout, 'data');
  const below = Number.parseInt(String(line), 10);
  return {
    pid: child.pid ?? 0,
    argv: ['sh', ...script],
    below,
    async [Symbol.asyncDispose]() {
      process.kill(below, 'SIGKILL');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const TABLES: readonly (readonly [string, ProcessTable])[] = [
  ['the table of the kernel', createProcessTable()],
  ['the listing of ps', createProcessTable('/nowhere')],
];

describe.each(TABLES)('by %s', (_, table) => {
  it('a program is found by all of its arguments and no others', async () => {
    await using meant = await start(NAME, 'one');
    await using other = await start(NAME, 'one', 'two');
    const found = must(await table.findRunning(meant.argv));
    expect(found).toMatchObject([{ pid: meant.pid, parent: process.pid }]);
    expect(must(await table.findRunning(other.argv))).toMatchObject([{ pid: other.pid }]);
    expect(must(await table.findRunning([...other.argv, 'three']))).toEqual([]);
  });

  it('a process is asked for its children, and not for theirs', async () => {
    await using parent = await start(NAME);
    const mark = table.markOf(parent.pid);
    if (mark === null) throw new Error('it has gone');
    expect(must(await table.findChildren(mark))).toMatchObject([{ pid: parent.below }]);
    const own = table.markOf(process.pid);
    if (own === null) throw new Error('the test itself has gone');
    const children = must(await table.findChildren(own)).map(({ pid }) => pid);
    expect(children).toContain(parent.pid);
    expect(children).not.toContain(parent.below);
  });
});

it('a program is found by arguments that are not plain letters', async () => {
  await using meant = await start('ünï', '漢字 ', '');
  expect(must(await createProcessTable().findRunning(meant.argv))).toMatchObject([
    { pid: meant.pid },
  ]);
});
