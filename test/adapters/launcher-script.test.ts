import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LAUNCHER_SCRIPT, writeLaunchOrder } from '../../src/adapters/launcher-script.js';
import { quoteForShell } from '../../src/adapters/quote-for-shell.js';
import { InternalError } from '../../src/domain/failure.js';
import { createTmuxRig } from '../rigs/tmux-rig.js';
import { must } from '../rigs/must.js';

const HOSTILE = [
  '',
  ' ',
  "it's",
  '"double"',
  '$(touch canary)',
  '`touch canary`',
  '#(touch canary)',
  '${IFS}',
  'ends in ;',
  ';',
  '\\;',
  '-n',
  '--',
  'line\nline\n\n',
  'back\\slash\\n',
  '*?[a]~',
  "'; touch canary; '",
  'Á Â È 漢字 🍊 \u0085',
  '\u0001\u007f\t',
  '!!',
];

const DUMP = `
const fs = require('node:fs');
const { PWD, ...env } = process.env;
fs.writeFileSync(process.argv[1] + '.tmp', JSON.stringify({
  argv: process.argv.slice(2), env, cwd: process.cwd(), umask: process.umask(),
  tty: [process.stdin.isTTY, process.stdout.isTTY, process.stderr.isTTY], pwd: PWD,
}));
fs.renameSync(process.argv[1] + '.tmp', process.argv[1]);
`;

describe('quoteForShell', () => {
  it('makes one word of any text', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { maxLength: 20 });
    fc.assert(
      fc.property(texts, (drawn) => {
        const words = [...HOSTILE, ...drawn].map((text) => text.replace(/[\0\p{Cs}]/gu, ''));
        const script = `set -- ${words.map(quoteForShell).join(' ')}\nprintf '%s\\0' "$@"`;
        const printed = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
        expect(printed.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: 20 },
    );
  });

  it('refuses a NUL byte, which no argument can hold', () => {
    expect(() => quoteForShell('a\0b')).toThrow(InternalError);
  });
});

describe('writeLaunchOrder', () => {
  it('skips names that no shell takes, values that no environment holds, and what is the pane’s', () => {
    const env = {
      'BAD-NAME': '1',
      '1X': '1',
      'A=B': '1',
      PPID: '1',
      TMUX: 'x',
      TERM: 'dumb',
      NUL: '\0',
    };
    const order = {
      cwd: '/',
      mask: 0o022,
      argv: ['true'],
      env: { ...env, GOOD: '1' },
    };
    const exports = writeLaunchOrder(order).match(/^export .*/gm);
    expect(exports).toEqual(["export GOOD='1'", 'export PWD']);
  });
});

describe('the launcher', () => {
  it('delivers arguments and environment byte for byte and runs none of them (F67, F68)', async () => {
    await using rig = createTmuxRig();
    const long = randomBytes(75_000).toString('base64');
    const env = Object.fromEntries([
      ...HOSTILE.map((value, index) => [`HOSTILE_${index}`, value] as const),
      ['PATH', process.env['PATH'] ?? ''],
      ['BIG', long],
      ['launch', 'not yours'],
      ['file', '/etc/passwd'],
      ['stage', 'launcher'],
      ['IFS', 'x'],
    ]);
    const argv = [process.execPath, '-e', DUMP, rig.path('dump'), ...HOSTILE, long];
    const agent = await rig.launch({ argv, env });
    const dump = JSON.parse(await rig.appears('dump'));
    expect(dump.argv).toEqual([...HOSTILE, long]);
    const { TERM, ...received } = dump.env;
    expect(TERM).toMatch(/^(tmux|screen)-256color$/);
    expect(received).toEqual({
      ...env,
      ORANGE_LAUNCH_ID: agent.launchId,
      ORANGE_TASK_ID: 'taskone',
    });
    expect(dump).toMatchObject({ cwd: rig.cwd, pwd: rig.cwd, tty: [true, true, true] });
    expect(dump.umask).toBe(process.umask());
    expect(readdirSync(rig.cwd)).toEqual([]);
    expect((await rig.ended('taskone', 'worker')).exit?.status).toBe(0);
  });

  it('enters a directory whose name is a command and a format', async () => {
    await using rig = createTmuxRig();
    const cwd = join(rig.cwd, "$(touch canary) #(touch canary);'`");
    execFileSync('mkdir', ['-p', cwd]);
    await rig.launch({ cwd, argv: ['/bin/pwd'] });
    expect((await rig.screen('taskone', 'worker')).join('')).toBe(cwd);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('refuses to start an agent in a directory that is not there', async () => {
    await using rig = createTmuxRig();
    const launch = rig.order({ argv: ['/bin/true'], cwd: rig.path('gone') });
    expect(await rig.sessions.launch(launch)).toEqual({
      ok: false,
      failure: {
        kind: 'agent-did-not-start',
        window: 'worker',
        reason: `its directory ${rig.path('gone')} cannot be entered`,
      },
    });
    expect(must(rig.records.read('taskone', 'worker'))).toBeNull();
    expect(readdirSync(join(rig.runDir, 'taskone'))).toEqual(['worker.exit']);
  });

  it.each([
    ['exit 0', 0, null],
    ['exit 7', 7, null],
    ['exit 200', 200, null],
    ['kill -KILL $$', 137, 'SIGKILL'],
    ['kill -SEGV $$', 139, 'SIGSEGV'],
    ['kill -TERM $$', 143, 'SIGTERM'],
    ['kill -INT $$', 130, 'SIGINT'],
    ['kill -HUP $$', 129, 'SIGHUP'],
    ['kill -INT 0; exit 4', 130, 'SIGINT'],
    ['kill -QUIT 0; exit 4', 131, 'SIGQUIT'],
    ['kill -TERM 0; exit 4', 143, 'SIGTERM'],
  ])('records the end of %j', async (script, status, signal) => {
    await using rig = createTmuxRig();
    await rig.sh(script);
    expect((await rig.ended('taskone', 'worker')).exit).toMatchObject({ status, signal });
  });

  it('records 127 for a missing program and 126 for one that cannot run (F60)', async () => {
    await using rig = createTmuxRig();
    rig.write('work/plain', 'not a program');
    await rig.launch({ argv: ['no-such-agent', 'x'], window: 'worker' });
    await rig.launch({ argv: [rig.path('work/plain')], window: 'review-1' });
    await rig.launch({ argv: ['/bin/true', 'x'.repeat(140_000)], window: 'review-2' });
    expect((await rig.ended('taskone', 'worker')).exit?.status).toBe(127);
    expect((await rig.screen('taskone', 'worker')).join('\n')).toContain('no-such-agent');
    expect((await rig.ended('taskone', 'review-1')).exit?.status).toBe(126);
    expect((await rig.ended('taskone', 'review-2')).exit?.status).toBe(126);
  });

  it('lets Ctrl-C reach the agent, which may handle it, and survives it', async () => {
    await using rig = createTmuxRig();
    await rig.sh(
      'trap "echo caught; touch ../caught; exit 5" INT; touch ../ready; while :; do sleep 0.05; done',
    );
    await rig.appears('ready');
    rig.tmux('send-keys', '-t', '=demo/branch:=worker', 'C-c');
    const { exit } = await rig.ended('taskone', 'worker');
    expect(exit?.status).toBe(5);
    expect((await rig.screen('taskone', 'worker')).join('\n')).toContain('caught');
  });

  it('keeps every file to its owner and leaves nothing of an order behind (G12)', async () => {
    await using rig = createTmuxRig();
    const env = { SECRET: 'canary-secret' };
    await rig.sh('wc -c < ../run/taskone/worker.launch > size', { env });
    await rig.screen('taskone', 'worker');
    expect(Number(rig.read('work/size'))).toBe(0);
    const directory = join(rig.runDir, 'taskone');
    expect(statSync(join(directory, 'worker.launch')).size).toBe(0);
    expect(readdirSync(directory).toSorted()).toEqual([
      'worker.exit',
      'worker.launch',
      'worker.pid',
      'worker.screen',
    ]);
    const paths = [directory, rig.runDir].flatMap((parent) =>
      readdirSync(parent, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(parent, entry.name)),
    );
    expect(paths.map((path) => statSync(path).mode & 0o077)).toEqual(paths.map(() => 0));
  });
});

describe('the launcher under other shells', () => {
  const shells = [['/bin/dash'], ['/bin/bash', '--posix'], ['/bin/busybox', 'sh'], ['/bin/ksh']];
  it.each(shells.filter(([program]) => existsSync(program ?? '')))(
    'does the same with %s',
    async (...shell) => {
      await using rig = createTmuxRig();
      const directory = rig.path('taskone');
      const env = { PATH: process.env['PATH'] ?? '', ODD: "Á\n'$(id)" };
      const argv = ['/bin/sh', '-c', 'printf %s "$ODD" > ../odd; umask > ../mask; kill -TERM $$'];
      const order = { cwd: rig.cwd, mask: 0o027, argv, env };
      mkdirSync(directory);
      rig.write('launcher.sh', LAUNCHER_SCRIPT);
      rig.write('taskone/worker.launch', writeLaunchOrder(order));
      const [program = '', ...options] = shell;
      const run = [...options, rig.path('launcher.sh'), directory, 'worker', 'given', 'l1', 's'];
      spawnSync(program, run, { env: { PATH: env.PATH }, stdio: 'ignore' });
      expect(rig.read('odd')).toBe(env.ODD);
      expect(Number.parseInt(rig.read('mask'), 8)).toBe(0o027);
      const exit = { launch: 'l1', status: 143, signal: 'SIGTERM', hung_up: false };
      const { to, ...recorded } = JSON.parse(rig.read('taskone/worker.exit'));
      expect(recorded).toEqual(exit);
      const started = JSON.parse(rig.read('taskone/worker.pid'));
      expect(started).toMatchObject({ launch: 'l1', session: 's', server: null });
      expect(to).toBeGreaterThanOrEqual(started.from);
    },
  );
});

it('a variable of the agent’s with a name of the launcher’s own changes nothing', async () => {
  await using rig = createTmuxRig();
  rig.write('precious', 'kept');
  const names = ['file', 'directory', 'window', 'launch', 'session', 'cwd', 'stage', 'from', 'pid'];
  const own = Object.fromEntries(names.map((name) => [name, rig.path('precious')]));
  const env = { PATH: process.env['PATH'] ?? '', ...own };
  const agent = await rig.sh('printf %s "$file$cwd$stage" > ../seen; exit 4', { env });
  expect(await rig.ended('taskone', 'worker')).toMatchObject({ exit: { status: 4 } });
  expect(rig.read('seen')).toBe(rig.path('precious').repeat(3));
  expect(rig.read('precious')).toBe('kept');
  expect(must(rig.records.read('taskone', 'worker'))?.launchId).toBe(agent.launchId);
});

describe('instant exits', () => {
  it('are all recorded with the right status, a hundred of them (F61)', async () => {
    await using rig = createTmuxRig();
    for (let round = 0; round < 100; round += 1) {
      const status = (round * 7) % 126;
      const taskId = `task${round % 5}`;
      await rig.sh(`exit ${status}`, { taskId, session: `demo/t${round % 5}` });
      const record = await rig.ended(taskId, 'worker');
      expect(record.exit).toMatchObject({ status, signal: null });
    }
  });
});
