import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findOccupants } from '../../src/adapters/find-occupants.js';
import { createProcessTable } from '../../src/adapters/process-table.js';
import { must } from '../rigs/must.js';

const DEADLINE = { timeout: 20_000, interval: 20 };
const root = realpathSync(mkdtempSync(join(tmpdir(), 'oc-')));
const processes = createProcessTable();

function makeDirectory(name: string): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** A process in a directory, for as long as a test needs it. */
function sitIn(cwd: string) {
  const child = spawn('/bin/sleep', ['1000'], { cwd, stdio: 'ignore' });
  const gone = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function pidsIn(directory: string): readonly number[] {
  return must(findOccupants(processes, directory)).map(({ pid }) => pid);
}

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('who works in a directory', () => {
  it('F41 is found there and below, but not beside', async () => {
    const place = makeDirectory('one');
    const below = makeDirectory('one/deep/down');
    await using inside = sitIn(place);
    await using deeper = sitIn(below);
    await using beside = sitIn(makeDirectory('one-more'));
    const expected = [inside.pid, deeper.pid].toSorted((a, b) => a - b);
    await expect.poll(() => pidsIn(place).toSorted((a, b) => a - b), DEADLINE).toEqual(expected);
    expect(pidsIn(below)).toEqual([deeper.pid]);
    expect(pidsIn(join(root, 'one-more'))).toEqual([beside.pid]);
  });

  it('is found through a link, and named', async () => {
    const place = makeDirectory('two');
    symlinkSync(place, join(root, 'link'));
    await using inside = sitIn(place);
    const look = () => findOccupants(processes, join(root, 'link'));
    await expect.poll(() => must(look()).map(({ pid }) => pid), DEADLINE).toEqual([inside.pid]);
    await expect.poll(() => must(look())[0]?.command, DEADLINE).toBe('/bin/sleep 1000');
    expect(must(look())[0]).toMatchObject(processes.markOf(inside.pid) ?? {});
  });

  it('F41b is nobody once it has ended', async () => {
    const place = makeDirectory('three');
    const parent = spawn('/bin/sh', ['-c', 'sleep 0.5 & echo $!; cd /; exec sleep 1000'], {
      cwd: place,
    });
    const ended = once(parent, 'exit');
    const [chunk] = await once(parent.stdout, 'data');
    const zombie = Number(String(chunk));
    await expect.poll(() => pidsIn(place), DEADLINE).toEqual([]);
    expect(process.kill(zombie, 0)).toBe(true);
    parent.kill('SIGKILL');
    await ended;
  });

  it('is nobody in a directory that is not there, or where nobody can tell', () => {
    expect(pidsIn(join(root, 'nowhere'))).toEqual([]);
    expect(must(findOccupants(createProcessTable('/nowhere'), root))).toEqual([]);
  });
});
