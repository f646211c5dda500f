import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkTask, killDaemon } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

/** A writer that reads TASK.md, changes one line of its body and writes it back, all the time. */
const WRITER = `
const fs = require('node:fs');
const [file, stop, pauseMs] = process.argv.slice(1);
for (let n = 1; ; n += 1) {
  const text = fs.readFileSync(file, 'utf8');
  if (text.includes('## Notes')) {
    fs.writeFileSync(file, text.replace(/^count: .*$/m, 'count: ' + n));
  } else if (text.endsWith('\\n')) {
    fs.writeFileSync(file, text + '\\n## Notes\\n\\ncount: ' + n + '\\nkept: ' + 'x'.repeat(2000) + '\\n');
  }
  if (fs.existsSync(stop)) {
    console.log(n);
    break;
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(pauseMs));
}
`;

async function writeWhile(
  rig: Rig,
  id: string,
  pauseMs: number,
  act: () => Promise<void>,
): Promise<string> {
  const stop = join(rig.root, 'stop');
  const file = rig.taskFile(id);
  const writer = spawn(process.execPath, ['-e', WRITER, file, stop, String(pauseMs)]);
  let last = '';
  let complaint = '';
  writer.stdout.on('data', (text) => (last += String(text)));
  writer.stderr.on('data', (text) => (complaint += String(text)));
  const ended = once(writer, 'close');
  await rig.until('first write', () => rig.read(file).includes('## Notes'));
  await act();
  writeFileSync(stop, '');
  await ended;
  expect(complaint).toBe('');
  return last.trim();
}

describe('an agent that writes TASK.md in place all the time', () => {
  it.each([0, 1, 5])(
    'F38 loses no byte to the daemon, nor the daemon a field, pausing %i ms',
    async (pauseMs) => {
      await using rig = await createRig({ agents: { plain: { worker: 'say start; idle' } } });
      const id = await rig.create('first', 'Before', '--no-spawn', ...PLAIN);
      const accepted: string[] = [];
      const last = await writeWhile(rig, id, pauseMs, async () => {
        for (let round = 1; round <= 8; round += 1) {
          const answer = await rig.orange(
            'task',
            'update',
            id,
            '--priority',
            round % 2 === 0 ? 'high' : 'low',
            '--json',
          );
          if (answer.code === 0) accepted.push(round % 2 === 0 ? 'high' : 'low');
          else expect(answer.stdout).toMatch(/"code": "[a-z-]+"/);
        }
      });
      await rig.must('task', 'update', id, '--priority', 'critical');
      const text = rig.read(rig.taskFile(id));
      expect(text).toContain(`count: ${last}\n`);
      expect(text).toContain(`kept: ${'x'.repeat(2000)}\n`);
      expect(text.match(/^## Notes$/gm)).toHaveLength(1);
      expect(rig.field(id, 'priority')).toBe('critical');
      for (const [name, value] of Object.entries({
        status: 'pending',
        workspace: 'null',
        branch: 'first',
      })) {
        expect(rig.field(id, name)).toBe(value);
      }
      checkTask(rig, id);
    },
  );

  it('F38 is started and moved on all the same', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: `add Plan 'APPROACH: x'; say start; idle` } },
    });
    const id = await rig.create('first', 'x', '--no-spawn', ...PLAIN);
    await writeWhile(rig, id, 20, async () => {
      // A request that meets the file half written is refused; the next one may meet it whole.
      const ask = async (): Promise<number | null> => (await rig.orange('spawn', id)).code;
      await expect.poll(ask, { timeout: 20_000 }).toBe(0);
      await rig.until('the agent', () => rig.said().length > 0);
    });
    await rig.waitForStatus(id, 'working');
    expect(rig.said()).toEqual(['start']);
    expect(rig.history(id).filter(({ type }) => type === 'agent.spawned')).toHaveLength(1);
    checkTask(rig, id);
  });
});

describe('an agent that holds TASK.md open and is silent for long', () => {
  it('F38 is heard when it goes on writing into the file that orange has replaced', async () => {
    const worker = `{ printf '\\n## Notes\\n\\nbuilt\\n'; await_go on; echo '3 failures'; } >> TASK.md; idle`;
    await using rig = await createRig({ agents: { plain: { worker } } });
    const id = await rig.create('first', 'x', ...PLAIN);
    const file = rig.taskFile(id);
    await rig.until('its first words', () => rig.read(file).includes('built\n'));
    await rig.must('task', 'update', id, '--summary', 'Later');
    const log = join(rig.home, 'orange.log');
    await rig.until('the last look', () => rig.read(log).includes('late-edit.held'), 60_000);
    rig.go('on');
    await rig.until('its last words', () => rig.read(file).includes('built\n3 failures\n'), 60_000);
    expect(rig.field(id, 'summary')).toBe('Later');
    checkTask(rig, id);
  });
});

describe('a config.yaml that breaks while the daemon runs', () => {
  it('leaves the last good settings in force and is reported with its line', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: 'say start; idle' } },
      settings: { reconcile_seconds: 1 },
    });
    await rig.must('daemon', 'start');
    const path = join(rig.home, 'config.yaml');
    const good = rig.read(path);
    writeFileSync(path, 'policy:\n  settle_ms: 50\n  crash_limit: many\n');
    const problem = async (): Promise<string> => (await rig.orange('doctor')).stdout;
    await expect.poll(problem, { timeout: 10_000 }).toContain(`${path}:3`);
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    expect(rig.said()).toEqual(['start']);
    await rig.must('daemon', 'restart');
    expect((await rig.must('daemon', 'status')).stdout).toContain(
      'config.yaml is rejected, the last good settings are used',
    );
    expect((await rig.must('harness', 'list')).stdout).toContain('plain');
    const second = await rig.create('second', 'x', ...PLAIN);
    await rig.waitForStatus(second, 'planning');
    writeFileSync(path, good);
    await expect.poll(problem, { timeout: 10_000 }).not.toContain(path);
  });
});

const canary = (rig: Rig): string => join(rig.root, 'canary');

function writeYaml(rig: Rig, word: string): void {
  const command = ['/bin/sh', '-c', `echo ${word} >> ${canary(rig)}; while :; do sleep 1; done`];
  const yaml = { harnesses: { plain: { command }, sly: { command } } };
  writeFileSync(join(rig.repository, 'orange.yaml'), JSON.stringify(yaml));
}

describe('an orange.yaml in a repository', () => {
  it('F72 runs no command before `project trust`, and asks again when it changed', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: 'say start; idle' } },
      settings: { reconcile_seconds: 1 },
    });
    writeYaml(rig, 'one');
    const first = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(first, 'planning');
    expect(rig.said()).toEqual(['start']);
    expect((await rig.orange('task', 'create', 'sly', 'x', '--harness', 'sly')).code).toBe(3);
    expect(existsSync(canary(rig))).toBe(false);
    expect((await rig.must('project', 'list', '--json')).json()).toMatchObject([
      { trusted: 'untrusted' },
    ]);

    const { stdout, stderr } = await rig.must('project', 'trust', 'shop');
    expect(`${stdout}${stderr}`).toContain('harnesses.sly.command: ');
    await rig.must('task', 'respawn', first);
    await rig.until('the canary', () => existsSync(canary(rig)));
    expect((await rig.must('project', 'list', '--json')).json()).toMatchObject([
      { trusted: 'trusted' },
    ]);

    rmSync(canary(rig));
    writeYaml(rig, 'two');
    await killDaemon(rig);
    await rig.must('task', 'respawn', first);
    await rig.until('the plain agent', () => rig.said().length === 2);
    expect(existsSync(canary(rig))).toBe(false);
    expect((await rig.must('project', 'list', '--json')).json()).toMatchObject([
      { trusted: 'changed' },
    ]);
  });

  it('that changes between two looks of a running daemon runs nothing either', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'say start; idle' } } });
    writeYaml(rig, 'one');
    await rig.must('project', 'trust', 'shop');
    writeYaml(rig, 'two');
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await rig.until('an agent', () => existsSync(canary(rig)) || rig.said().length > 0);
    expect(existsSync(canary(rig)) ? rig.read(canary(rig)) : '').not.toContain('two');
  });
});
