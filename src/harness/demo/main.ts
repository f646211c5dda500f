import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Machine } from './machine.js';
import { messagesFrom } from './messages-from.js';
import { playReviewer } from './reviewer.js';
import { readScript } from './script.js';
import { playWorker } from './worker.js';

const STEP_MS = 400;
// Longer than orange waits between a pasted text and its Enter, so that both are one message.
const PASTE_QUIET_MS = 400;

const taskFile = process.env['ORANGE_TASK_FILE'];
if (taskFile === undefined || taskFile === '') {
  process.stderr.write('The demo agent is started by orange: ORANGE_TASK_FILE is not set.\n');
  process.exit(2);
}
const machine = thisMachine(taskFile);
const play = process.env['ORANGE_ROLE'] === 'reviewer' ? playReviewer : playWorker;
process.exit(await play(machine));

function thisMachine(path: string): Machine {
  const readTask = (): string => readFileSync(path, 'utf8');
  return {
    taskId: process.env['ORANGE_TASK_ID'] ?? 'task',
    round: numberFrom('ORANGE_REVIEW_ROUND', 1),
    stepMs: readScript(readTask()).isFast ? 0 : numberFrom('ORANGE_DEMO_STEP_MS', STEP_MS),
    readTask,
    writeTask: (text) => writeFileSync(path, text),
    readFile: (file) => readFileSync(file, 'utf8'),
    writeFile: (file, text) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    exists: existsSync,
    git: (argv) => {
      const run = spawnSync('git', [...argv], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const error = run.error?.message ?? run.stderr;
      return { status: run.status ?? 1, output: run.stdout ?? '', error };
    },
    say: (line) => void process.stdout.write(`${line}\n`),
    pause: async (ms) => pause(ms),
    nextMessage: messagesFrom(process.stdin, PASTE_QUIET_MS),
  };
}

function numberFrom(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? '');
  return process.env[name] !== undefined && Number.isFinite(value) && value >= 0 ? value : fallback;
}
