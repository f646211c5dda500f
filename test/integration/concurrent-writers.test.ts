import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/api/client.js';
import { checkTask } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

/**
 * Saves again and again until it is told to stop, then once more, and prints how often. Each save in
 * place brings a section of its own; one by rename brings all its lines, as an editor's buffer does.
 */
const WRITER = `
const fs = require('node:fs');
const [file, stop, how] = process.argv.slice(1);
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const read = () => {
  for (;;) {
    const text = fs.readFileSync(file, 'utf8');
    if (text.startsWith('---\\n')) return text;
    pause(1);
  }
};
const section = (n) => '\\n## Note ' + n + '\\n\\nword-' + n + '-end\\n';
const lines = [];
const saves = {
  'in place': (n) => fs.writeFileSync(file, read() + section(n)),
  'by appending': (n) => fs.appendFileSync(file, section(n)),
  'slowly': (n) => {
    const text = read() + section(n);
    const fd = fs.openSync(file, 'w');
    for (let at = 0; at < text.length; at += 300) {
      fs.writeSync(fd, text.slice(at, at + 300));
      pause(1);
    }
    fs.closeSync(fd);
  },
  'by rename': (n) => {
    lines.push('word-' + n + '-end');
    const [before] = read().split('\\n## Notes\\n');
    fs.writeFileSync(file + '.tmp', before + '\\n## Notes\\n\\n' + lines.join('\\n') + '\\n');
    fs.renameSync(file + '.tmp', file);
  },
};
for (let n = 1; ; n += 1) {
  while (n > 300 && !fs.existsSync(stop)) pause(20);
  const isLast = fs.existsSync(stop);
  saves[how](n);
  if (isLast) {
    console.log(n);
    break;
  }
  pause(Math.random() * 4);
}
`;

/** Lets a writer save while `act` runs; gives the number of saves. */
async function saveWhile(
  rig: Rig,
  { file, how }: { readonly file: string; readonly how: string },
  act: () => Promise<void>,
): Promise<number> {
  const stop = join(rig.root, 'stop');
  const writer = spawn(process.execPath, ['-e', WRITER, file, stop, how]);
  let said = '';
  writer.stdout.on('data', (text) => (said += String(text)));
  writer.stderr.on('data', (text) => (said += String(text)));
  const ended = once(writer, 'close');
  await rig.until('first save', () => /word-1-end/.test(rig.read(file)));
  await act();
  writeFileSync(stop, '');
  await ended;
  expect(said).toMatch(/^\d+\n$/);
  return Number(said);
}

/** Everything that was ever written for the task and is still to be found. */
function wordsOf(rig: Rig, id: string): string {
  const dir = join(rig.taskDir(id), 'transcripts');
  const kept = existsSync(dir) ? readdirSync(dir).map((name) => join(dir, name)) : [];
  return [rig.taskFile(id), ...kept].map((path) => readFileSync(path, 'utf8')).join('\n');
}

/** Changes the summary as often as told, as fast as the daemon takes it; gives the last accepted. */
async function renameOften(rig: Rig, id: string, times: number): Promise<string> {
  const socketPath = join(rig.home, 'run', 'daemon.sock');
  const client = await connect({ socketPath, timeoutMs: 20_000 });
  if (!client.ok) throw new Error(JSON.stringify(client.failure));
  let last = '';
  for (let n = 1; n <= times; n += 1) {
    const request = { kind: 'task.update', taskId: id, summary: `Summary ${n}` } as const;
    const answer = await client.value.call({ method: 'submit', request, actor: 'human' });
    if (answer.ok) last = `Summary ${n}`;
  }
  client.value.close();
  return last;
}

const sorted = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `word-${index + 1}-end`);

describe('an agent that saves all the time while orange writes all the time', () => {
  it.each(['in place', 'by appending', 'slowly', 'by rename'])(
    'loses no word, nor does orange: %s',
    async (how) => {
      await using rig = await createRig({ agents: { plain: { worker: 'say start; idle' } } });
      const id = await rig.create('first', 'Before', '--no-spawn', ...PLAIN);
      let last = '';
      const file = rig.taskFile(id);
      const saves = await saveWhile(rig, { file, how }, async () => {
        last = await renameOften(rig, id, 80);
      });
      const missing = (): readonly string[] => {
        const words = wordsOf(rig, id);
        return sorted(saves).filter((word) => !words.includes(word));
      };
      await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
      await rig.until('the last summary', () => rig.field(id, 'summary') === last);
      checkTask(rig, id);
    },
  );

  it('loses no word when it replaces the link in its worktree', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: 'say start; idle' } },
      policy: { settle_ms: 50 },
    });
    const id = await rig.create('first', 'Before', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const file = join(rig.workspace(), 'TASK.md');
    let last = '';
    const saves = await saveWhile(rig, { file, how: 'by rename' }, async () => {
      last = await renameOften(rig, id, 60);
    });
    const missing = (): readonly string[] => {
      const words = wordsOf(rig, id);
      return sorted(saves).filter((word) => !words.includes(word));
    };
    await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
    await rig.until('the last summary', () => rig.field(id, 'summary') === last);
    checkTask(rig, id);
  });
});
