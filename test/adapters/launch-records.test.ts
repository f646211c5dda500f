import { spawn } from 'node:child_process';
import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTmuxRig } from '../rigs/tmux-rig.js';
import { must } from '../rigs/must.js';

type Rig = ReturnType<typeof createTmuxRig>;

function givenFiles(rig: Rig, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(rig.runDir, 'taskone'), { recursive: true });
  for (const [name, text] of Object.entries(files)) rig.write(`run/taskone/${name}`, text);
}
const START = '{"launch":"l1","session":"demo/branch","pid":999999,"start":"b/1"}\n';

describe('launch records', () => {
  it('say that a launcher which left no exit record was killed', async () => {
    await using rig = createTmuxRig();
    givenFiles(rig, { 'worker.pid': START });
    expect(must(rig.records.read('taskone', 'worker'))).toEqual({
      taskId: 'taskone',
      window: 'worker',
      session: 'demo/branch',
      launchId: 'l1',
      pid: 999_999,
      isAlive: false,
      exit: { status: null, signal: null, hasScreen: false, interruptedBy: 'reboot' },
      isInDoubt: false,
    });
  });

  it('do not mistake the end of an earlier launch for this one’s', async () => {
    await using rig = createTmuxRig();
    givenFiles(rig, {
      'worker.pid': START,
      'worker.exit': '{"launch":"l0","status":0,"signal":null}\n',
    });
    expect(must(rig.records.read('taskone', 'worker'))?.exit?.status).toBeNull();
  });

  it('give the last screen without control characters', async () => {
    await using rig = createTmuxRig();
    givenFiles(rig, {
      'worker.pid': START,
      'worker.exit': '{"launch":"l1","status":1,"signal":null}\n',
      'worker.screen': 'one  \n\u001b[31mtwo\u001b[0m\u202e\u0007\n\n\n',
    });
    expect(must(rig.records.read('taskone', 'worker'))?.exit).toMatchObject({
      status: 1,
      signal: null,
      hasScreen: true,
    });
    expect(await rig.records.screen('taskone', 'worker')).toEqual(['one', 'two']);
  });

  it('read a screen only when the launcher that writes it is gone', async () => {
    await using rig = createTmuxRig();
    const writer = spawn('/bin/sleep', ['60']);
    const pid = `{"launch":"l1","session":"s","pid":${writer.pid},"start":""}\n`;
    givenFiles(rig, { 'worker.pid': pid, 'worker.screen': 'first line\nsecond' });
    const reading = rig.records.screen('taskone', 'worker');
    givenFiles(rig, { 'worker.screen': 'first line\nsecond line\n' });
    writer.kill('SIGKILL');
    expect(await reading).toEqual(['first line', 'second line']);
  });

  it('know of no screen where the terminal was gone, and wait for none', async () => {
    await using rig = createTmuxRig();
    givenFiles(rig, {
      'worker.pid': START,
      'worker.exit': '{"launch":"l1","status":129,"signal":"SIGHUP","hung_up":true}\n',
    });
    expect(must(rig.records.read('taskone', 'worker'))?.exit).toMatchObject({ hasScreen: false });
    expect(await rig.records.screen('taskone', 'worker')).toBeNull();
    expect(await rig.records.screen('../taskone', 'worker')).toBeNull();
  });

  it('tell when an agent ended, by when that was written down', async () => {
    await using rig = createTmuxRig();
    givenFiles(rig, {
      'worker.pid': START,
      'worker.exit': '{"launch":"l1","status":1,"signal":null}\n',
    });
    const written = new Date('2026-01-31T09:30:00.500Z');
    utimesSync(join(rig.runDir, 'taskone', 'worker.exit'), written, written);
    expect(must(rig.records.read('taskone', 'worker'))?.exit).toMatchObject({
      endedAt: '2026-01-31T09:30:00.500Z',
    });
  });

  it('tell how long an agent ran, by the machine’s own time', async () => {
    await using rig = createTmuxRig();
    givenFiles(rig, {
      'worker.pid': START.replace('}\n', ',"from":17.25}\n'),
      'worker.exit': '{"launch":"l1","status":1,"signal":null,"to":20.5}\n',
    });
    expect(must(rig.records.read('taskone', 'worker'))?.exit).toMatchObject({ ranMs: 3250 });
  });

  it.each(['', '{', '[]', '{"launch":"l1"}', '{"launch":"l1","session":"s","pid":0,"start":""}'])(
    'take %j for no record',
    async (text) => {
      await using rig = createTmuxRig();
      givenFiles(rig, { 'worker.pid': text, '.worker.pid.12': START });
      expect(must(rig.records.read('taskone', 'worker'))).toBeNull();
      expect(must(rig.records.list('taskone'))).toEqual([]);
    },
  );

  it('never look outside their directory', async () => {
    await using rig = createTmuxRig();
    givenFiles(rig, { 'worker.pid': START });
    expect(must(rig.records.read('../run/taskone', 'worker'))).toBeNull();
    expect(must(rig.records.read('taskone', '../taskone/worker'))).toBeNull();
    expect(must(rig.records.list('.'))).toEqual([]);
    rig.records.forget('..');
    expect(must(rig.records.list('taskone'))).toHaveLength(1);
    rig.records.forget('taskone');
    expect(must(rig.records.list('taskone'))).toEqual([]);
  });
});
