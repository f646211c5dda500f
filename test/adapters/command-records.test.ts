import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createCommandRecords } from '../../src/adapters/command-records.js';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { createProcessTable } from '../../src/adapters/process-table.js';
import { createProjectCommands } from '../../src/adapters/run-project-command.js';
import { createSystemClock } from '../../src/adapters/system-clock.js';

const processes = createProcessTable();

function rig() {
  const root = mkdtempSync(join(tmpdir(), 'ocr-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const directory = join(root, 'commands');
  const events: { readonly event: string }[] = [];
  const log = { write: (record: { readonly event: string }) => void events.push(record) };
  const records = createCommandRecords({ directory, files: createDiskFiles(), processes, log });
  const noted = (): readonly string[] => (existsSync(directory) ? readdirSync(directory) : []);
  return { root, directory, records, events, noted };
}

/** A group of two processes that nobody would end. */
async function startGroup(
  root: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ leader: number; child: number }> {
  const line = `trap '' TERM HUP; sleep 600 & echo $! > ${root}/child; wait`;
  const running = spawn('/bin/sh', ['-c', line], { detached: true, stdio: 'ignore', env });
  const leader = running.pid ?? 0;
  onTestFinished(() => {
    if (running.exitCode === null && running.signalCode === null) process.kill(-leader, 'SIGKILL');
  });
  await vi.waitFor(() => expect(readFileSync(`${root}/child`, 'utf8')).toMatch(/\d\n/), WAIT);
  return { leader, child: Number(readFileSync(`${root}/child`, 'utf8')) };
}

const WAIT = { timeout: 20_000 };
const isAlive = (pid: number): boolean => processes.markOf(pid) !== null;

it('what a daemon that was killed left running is ended with all it started', async () => {
  const { root, records, noted, events } = rig();
  const { leader, child } = await startGroup(root);
  records.note(leader);
  expect(noted()).toEqual([`${leader}.json`]);
  await records.endLeft();
  await vi.waitFor(() => expect([leader, child].filter(isAlive)).toEqual([]), WAIT);
  expect(noted()).toEqual([]);
  expect(events.map(({ event }) => event)).toEqual(['command.left-running']);
});

it('so is what was started, but not noted yet, when the daemon was killed', async () => {
  const { root, records, noted } = rig();
  const commandId = randomUUID();
  records.expect(commandId);
  const mine = await startGroup(root, { ...process.env, ORANGE_COMMAND_ID: commandId });
  expect(noted()).toEqual([`${commandId}.json`]);
  await records.endLeft();
  await vi.waitFor(() => expect([mine.leader, mine.child].filter(isAlive)).toEqual([]), WAIT);
  expect(noted()).toEqual([]);
});

it('what runs when a daemon stops is killed, and nothing that has ended', async () => {
  const { root, records } = rig();
  const { leader, child } = await startGroup(root);
  const forget = records.note(leader);
  forget();
  records.killNow();
  expect([leader, child].filter(isAlive)).toEqual([leader, child]);
  records.note(leader);
  records.killNow();
  await vi.waitFor(() => expect([leader, child].filter(isAlive)).toEqual([]), WAIT);
});

it('a process that only has the number of one that ended is left alone', async () => {
  const { root, directory, records, noted } = rig();
  const { leader, child } = await startGroup(root);
  records.note(leader);
  const path = join(directory, `${leader}.json`);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/\d+"\}/, '1"}'));
  expect(readFileSync(path, 'utf8')).not.toBe(text);
  for (const bad of ['', '{"pid":1}', '{"pid":-1,"start":"x"}\n'])
    writeFileSync(join(directory, `bad${bad.length}.json`), bad);
  await records.endLeft();
  expect([leader, child].filter(isAlive)).toEqual([leader, child]);
  expect(noted()).toEqual([]);
});

it('a command is noted while it runs, and no longer', async () => {
  const { root, records, noted } = rig();
  const clock = createSystemClock();
  const commands = createProjectCommands({ files: createDiskFiles(), clock, records });
  const ran = commands.run({
    line: `until [ -e ${root}/go ]; do sleep 0.05; done`,
    directory: root,
    env: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 60_000,
    logFile: join(root, 'log'),
  });
  await vi.waitFor(() => expect(noted()).toHaveLength(2), WAIT);
  writeFileSync(join(root, 'go'), '');
  expect(await ran).toMatchObject({ ok: true, value: { exitCode: 0 } });
  expect(noted()).toEqual([]);
});

it('what a command left running outside of its group ends with it', async () => {
  const { root, records, noted, events } = rig();
  const commands = createProjectCommands({
    files: createDiskFiles(),
    clock: createSystemClock(),
    records,
  });
  const outcome = await commands.run({
    line: `setsid sh -c 'echo $$ > stray; exec sleep 600' > /dev/null 2>&1 & while [ ! -s stray ]; do :; done`,
    directory: root,
    env: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 20_000,
    logFile: join(root, 'log'),
  });
  expect(outcome).toMatchObject({ ok: true, value: { exitCode: 0 } });
  const stray = Number(readFileSync(join(root, 'stray'), 'utf8'));
  await vi.waitFor(() => expect(isAlive(stray)).toBe(false), WAIT);
  expect(noted()).toEqual([]);
  expect(events.map(({ event }) => event)).toContain('command.left-running');
});
