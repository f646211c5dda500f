import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from './orange-rig.js';

const MAIN = '0199aaaa-1111-7222-8333-444455556666';
const HELPER = '0199bbbb-1111-7222-8333-444455556666';

/** Stays when it is started to resume; else it is killed once it has the sign. */
const SCRIPT = `echo "$0 $1" >> "$HOME/said/all"
if [ "$0" = resume ]; then while :; do sleep 1; done; fi
until [ -e "$HOME/said/go-on" ]; do sleep 0.03; done
kill -9 $$`;

describe('an agent that is started again after a crash', () => {
  it('goes on with the conversation whose id orange gave it', async () => {
    await using rig = await createRig({
      settings: {
        harnesses: {
          own: {
            command: ['/bin/sh', '-c', SCRIPT, 'new', '{harness_session}'],
            resume: ['/bin/sh', '-c', SCRIPT, 'resume', '{harness_session}'],
          },
        },
      },
    });
    rig.go('on');
    const id = await rig.create('own', '--harness', 'own');
    const [first = '', second = ''] = await starts(rig, 2);
    expect(first).toMatch(/^new [0-9a-f-]{36}$/);
    expect(second).toBe(first.replace('new', 'resume'));
    expect(rig.field(id, 'harness_session')).toBe(first.replace('new ', ''));
    expect(rig.field(id, 'crash_count')).toBe('1');
  });

  it('goes on with the conversation that it has told orange itself', async () => {
    const teller = `[ "$0" = new ] && orange task report --conversation my_own-1
${SCRIPT}`;
    await using rig = await createRig({
      settings: {
        harnesses: {
          own: {
            command: ['/bin/sh', '-c', teller, 'new'],
            resume: ['/bin/sh', '-c', teller, 'resume', '{harness_session}'],
          },
        },
      },
    });
    rig.go('on');
    await rig.create('own', '--harness', 'own');
    expect(await starts(rig, 2)).toEqual(['new ', 'resume my_own-1']);
  });

  it('takes no option out of TASK.md for a conversation', async () => {
    await using rig = await createRig({
      settings: {
        harnesses: {
          own: {
            command: ['/bin/sh', '-c', SCRIPT, 'new', '{harness_session}'],
            resume: ['/bin/sh', '-c', SCRIPT, 'resume', '{harness_session}'],
          },
        },
      },
    });
    const id = await rig.create('own', '--harness', 'own');
    const [first = ''] = await starts(rig, 1);
    await rig.must('daemon', 'stop');
    const file = rig.read(rig.taskFile(id));
    rig.write(rig.taskFile(id), file.replace(first.replace('new ', ''), '--dangerous-one'));
    rig.go('on');
    await rig.must('daemon', 'start');
    const [, second] = await starts(rig, 2);
    expect(second).toMatch(/^new [0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
  });

  it('begins a new conversation when the old one cannot be taken up', async () => {
    const forgetful = `echo "$0 $1" >> "$HOME/said/all"
[ "$0" = resume ] && { echo 'No such conversation'; exit 1; }
[ "$(grep -c '^new' "$HOME/said/all")" = 1 ] && kill -9 $$
while :; do sleep 1; done`;
    await using rig = await createRig({
      policy: { crash_limit: 3 },
      settings: {
        harnesses: {
          own: {
            command: ['/bin/sh', '-c', forgetful, 'new', '{harness_session}'],
            resume: ['/bin/sh', '-c', forgetful, 'resume', '{harness_session}'],
          },
        },
      },
    });
    const id = await rig.create('own', '--harness', 'own');
    const [first = '', second = '', third = ''] = await starts(rig, 3);
    expect(second).toBe(first.replace('new', 'resume'));
    expect(third).toMatch(/^new [0-9a-f-]{36}$/);
    expect(third).not.toBe(first);
    const dropped = rig.history(id).filter(({ type }) => type === 'agent.crashed');
    expect(dropped).toMatchObject([
      { crash_count: 1, signal: 'SIGKILL' },
      { crash_count: 2, exit_status: 1, conversation: 'dropped' },
    ]);
  });
});

describe('a program that chooses the id of its conversation', () => {
  it('codex is resumed by the thread that its notify program was told, not by that of a helper', async () => {
    await using rig = await createRig({ settings: ONLY_BUILT_IN });
    await install(
      rig,
      'codex',
      `
const notify = option('--config=notify=');
const tell = (thread, messages) =>
  run(notify[0], [...notify.slice(1), JSON.stringify({
    type: 'agent-turn-complete', 'thread-id': thread, 'turn-id': '1', cwd: process.cwd(),
    'input-messages': messages, 'last-assistant-message': 'Done.' })]);
if (process.argv[2] === 'resume') stay();
tell('${MAIN}', ['<environment>', process.argv.at(-1)]);
tell('${MAIN}', ['<environment>', process.argv.at(-1), 'go on']);
tell('-${MAIN}', [process.argv.at(-1)]);
tell('${HELPER}', ['Find a title. User prompt: ' + process.argv.at(-1)]);
die();`,
    );
    const id = await rig.create('codex', '--harness', 'codex');
    const [first, second] = await calls(rig, 2);
    expect(first?.[0]).not.toBe('resume');
    expect(second?.[0]).toBe('resume');
    expect(second?.slice(-3, -1)).toEqual(['--', MAIN]);
    expect(second?.at(-1)).toMatch(/^Your session was interrupted/);
    expect(toldIn(rig, id)).toEqual([MAIN, undefined, undefined, undefined]);
  });

  it('opencode is resumed by the session that its plugin has seen, and prompted by the plugin', async () => {
    await using rig = await createRig({ settings: ONLY_BUILT_IN });
    await install(
      rig,
      'opencode',
      `
const [file] = JSON.parse(process.env.OPENCODE_CONFIG_CONTENT).plugin;
const text = fs.readFileSync(new URL(file), 'utf8');
const client = { session: { promptAsync: async (order) => (say('prompts', order), {}) } };
const url = 'data:text/javascript,' + encodeURIComponent(text);
const busy = (id) => ({ event: { type: 'session.status',
  properties: { sessionID: id, status: { type: 'busy' } } } });
import(url).then(async ({ Orange }) => {
  const { event } = await Orange({ client });
  if (process.argv.some((word) => word.startsWith('--session='))) return setInterval(() => {}, 999);
  const child = { id: 'ses_helper000000', parentID: 'ses_main00000000' };
  await event({ event: { type: 'session.created', properties: { info: child } } });
  await event(busy(child.id));
  run(process.execPath, ['--eval', 'import(' + JSON.stringify(url) + ').then(async ({ Orange }) =>' +
    '(await Orange({})).event?.(' + JSON.stringify(busy('ses_nested000000')) + '))']);
  await event(busy('ses_main00000000'));
  await event({ event: { type: 'session.idle', properties: { sessionID: child.id } } });
  setInterval(() => { if (fs.existsSync(said('go-on'))) die(); }, 20);
});`,
    );
    const id = await rig.create('opencode', '--harness', 'opencode');
    await rig.until('its session', () => rig.field(id, 'harness_session') === 'ses_main00000000');
    rig.go('on');
    const [first, second] = await calls(rig, 2);
    expect(first?.at(-2)).toBe('--prompt');
    expect(second).toEqual(['--session=ses_main00000000']);
    const [prompt = ''] = await rig.until('its prompt', () => some(rig.said('prompts')));
    expect(JSON.parse(prompt)).toMatchObject({
      path: { id: 'ses_main00000000' },
      body: { parts: [{ type: 'text', text: expect.stringMatching(/^Your session was interr/) }] },
    });
    expect(toldIn(rig, id)).toEqual(['ses_main00000000']);
  });
});

it('claude is resumed by the newest id that its hooks were told', async () => {
  await using rig = await createRig({ settings: ONLY_BUILT_IN });
  await install(
    rig,
    'claude',
    `
if (process.argv.some((word) => word.startsWith('--resume='))) stay();
const { hooks } = option('--settings=');
const [{ hooks: [{ command }] }] = hooks.UserPromptSubmit;
run('/bin/sh', ['-c', command], JSON.stringify({ session_id: '${MAIN}', prompt: 'Do it.' }));
die();`,
  );
  const id = await rig.create('claude', '--harness', 'claude');
  const [first, second] = await calls(rig, 2);
  expect(first?.find((word) => word.startsWith('--session-id='))).not.toContain(MAIN);
  expect(second).toContain(`--resume=${MAIN}`);
  expect(rig.field(id, 'harness_session')).toBe(MAIN);
});

const ONLY_BUILT_IN = { harnesses: {} };

/** What a stand-in for an agent program can do; it notes with which words it was called. */
const STAND_IN = `
const fs = require('node:fs');
const { spawnSync } = require('node:child_process');
const said = (name) => process.env.HOME + '/said/' + name;
const say = (name, what) => fs.appendFileSync(said(name), JSON.stringify(what) + '\\n');
const stay = () => { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000); };
const die = () => process.kill(process.pid, 'SIGKILL');
const run = (program, words, input = '') => spawnSync(program, words, { input });
const option = (name) =>
  JSON.parse(process.argv.find((word) => word.startsWith(name)).slice(name.length));
say('calls', process.argv.slice(2));
`;

/** Puts a stand-in where the daemon, which it starts, finds the program. */
async function install(rig: Rig, name: string, text: string): Promise<void> {
  const bin = join(rig.root, 'bin');
  rig.write(join(bin, name), `#!${process.execPath}\n${STAND_IN}${text}\n`);
  chmodSync(join(bin, name), 0o755);
  const PATH = `${bin}${delimiter}${rig.env['PATH'] ?? ''}`;
  const started = await rig.run(['daemon', 'start'], { env: { PATH } });
  expect(started.code).toBe(0);
}

async function starts(rig: Rig, count: number): Promise<readonly string[]> {
  return rig.until(`${count} starts`, () => some(rig.said(), count));
}

async function calls(rig: Rig, count: number): Promise<readonly (readonly string[])[]> {
  const lines = await rig.until(`${count} calls`, () => some(rig.said('calls'), count));
  return lines.map((line): readonly string[] => JSON.parse(line));
}

function some(lines: readonly string[], count = 1): readonly string[] | null {
  return lines.length >= count ? lines : null;
}

/** The conversation in each report, in order. */
function toldIn(rig: Rig, id: string): readonly unknown[] {
  const reports = rig.history(id).filter(({ type }) => type === 'progress.reported');
  return reports.map(({ conversation }) => conversation);
}
