import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentProcesses } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const OPTIONS = { agents: { plain: { worker: 'idle' } }, poolSize: 3 };

type Finding = {
  code: string;
  severity: string;
  file: string;
  line: number;
  message: string;
  fix: string;
};

const BOMB = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'
    .split('')
    .map(
      (name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`,
    ),
].join('\n');

const SNEAKED = '\n## Plan\n\nAPPROACH: sneak in\n';

/** Ways to spoil a TASK.md; each is given the path of the file and of a canary. */
const SPOILED: readonly (readonly [string, (path: string, canary: string) => void])[] = [
  [
    '---js',
    rewritten((text, canary) => text.replace(/^---\n/, `---js\n{ x: ${run(canary)} }\n---\n---\n`)),
  ],
  [
    '--- JavaScript',
    rewritten((text, canary) => `--- JavaScript\n(${run(canary)}, {})\n---\n${text}`),
  ],
  ['an alias bomb', rewritten((text) => text.replace('summary: ', `${BOMB}\nsummary: `))],
  ['duplicate keys', rewritten((text) => text.replace('summary: ', 'status: done\nsummary: '))],
  ['a broken value', rewritten((text) => text.replace('summary: spoiled', 'summary: "open'))],
  ['too many bytes', rewritten((text) => `${text}${'x'.repeat(300 * 1024)}`)],
  ['a torn end', rewritten((text) => text.slice(0, text.indexOf('workspace:')))],
  ['no content', rewritten(() => '')],
  ['blank lines', rewritten((text) => text.replace('---\n', `---\n${' \n'.repeat(50_000)}`))],
  ['bytes that are no text', rewritten((text) => `${text}\u0000\u0000`)],
  ['no frontmatter', rewritten(() => '# Just a page\n')],
  ['a link to another file', replacedBy((path) => symlinkSync('/etc/passwd', path))],
  ['a pipe', replacedBy((path) => spawnSync('mkfifo', [path]))],
  ['a directory', replacedBy((path) => mkdirSync(path))],
];

function rewritten(spoil: (text: string, canary: string) => string) {
  return (path: string, canary: string): void => {
    writeFileSync(path, `${spoil(readFileSync(path, 'utf8'), canary)}${SNEAKED}`);
  };
}

function replacedBy(make: (path: string) => unknown) {
  return (path: string): void => {
    rmSync(path);
    make(path);
  };
}

function run(canary: string): string {
  return `require('fs').writeFileSync('${canary}', 'x')`;
}

describe('a TASK.md that cannot be trusted', () => {
  it('F29 F32 F35 F37 is reported, moves nothing, runs nothing, hides no other task, and goes on when mended', async () => {
    await using rig = await createRig({ ...OPTIONS, poolSize: SPOILED.length + 1 });
    const good = await rig.create('sound', 'sound', ...PLAIN);
    const bad = new Map<string, { id: string; before: string }>();
    for (const [index, [name, spoil]] of SPOILED.entries()) {
      const id = await rig.create(`spoiled-${index}`, 'spoiled', ...PLAIN);
      bad.set(name, { id, before: rig.read(rig.taskFile(id)) });
      spoil(rig.taskFile(id), join(rig.root, 'pwn'));
    }
    const ids = [...bad.values()].map(({ id }) => id);
    await expectReported(rig, ids, good);
    await expectOthersGoOn(rig, good);
    for (const [name, { id }] of bad)
      expect([name, movesOf(rig, id)]).toEqual([name, ['planning']]);
    expect(existsSync(join(rig.root, 'pwn'))).toBe(false);

    for (const { id, before } of bad.values()) {
      rmSync(rig.taskFile(id), { recursive: true, force: true });
      writeFileSync(rig.taskFile(id), `${before}\n## Plan\n\nAPPROACH: mended\n`);
    }
    for (const id of ids) await rig.waitForStatus(id, 'working');
    expect((await rig.must('validate', '--json')).json()).toEqual([]);
    expect(rig.sessions()).toHaveLength(SPOILED.length + 1);
  });

  it('F33 is still listed and reported after the daemon was restarted on it', async () => {
    await using rig = await createRig(OPTIONS);
    const bad = await rig.create('spoiled', 'spoiled', ...PLAIN);
    const good = await rig.create('sound', 'sound', ...PLAIN);
    const before = rig.read(rig.taskFile(bad));
    await rig.must('daemon', 'stop');
    writeFileSync(rig.taskFile(bad), '---\nid: [\n');
    await expectReported(rig, [bad], good);
    await rig.must('daemon', 'start');
    await expectReported(rig, [bad], good);
    await expectOthersGoOn(rig, good);
    expect(rig.sessions().toSorted()).toEqual(['shop/sound', 'shop/spoiled']);
    writeFileSync(rig.taskFile(bad), `${before}\n## Plan\n\nAPPROACH: mended\n`);
    await rig.waitForStatus(bad, 'working');
    expect(rig.history(bad).filter(({ type }) => type === 'agent.spawned')).toHaveLength(1);
  });

  it('F33 has its agent neither ended nor started by anybody, also after a restart, and can be given up', async () => {
    await using rig = await createRig(OPTIONS);
    const id = await rig.create('spoiled', 'Words that last', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const before = rig.read(rig.taskFile(id));
    const broken = before.replace(/^status: .*$/m, 'status: [broken');
    writeFileSync(rig.taskFile(id), broken);
    await rig.must('daemon', 'restart');
    const agent = Math.min(...agentProcesses(id, 'worker').map(({ pid }) => pid));
    for (const asked of [['respawn'], ['requeue', '--yes'], ['update', '--branch', 'other']]) {
      const [action = '', ...more] = asked;
      const { code, stderr } = await rig.orange('task', action, id, ...more);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/TASK\.md:\d+ ORA0\d\d /)]);
    }
    // What it runs meanwhile comes and goes.
    expect(agentProcesses(id, 'worker').map(({ pid }) => pid)).toContain(agent);
    expect(rig.history(id).map(({ type }) => type)).toEqual([
      'task.created',
      'agent.spawned',
      'status.changed',
    ]);
    rmSync(rig.taskFile(id));
    await rig.must('daemon', 'restart');
    await rig.must('task', 'cancel', id, '--yes');
    await rig.waitForStatus(id, 'cancelled');
    for (const [name, value] of [
      ['harness', 'plain'],
      ['review_harness', 'plain'],
      ['summary', 'Words that last'],
    ] as const)
      expect([name, rig.field(id, name)]).toEqual([name, value]);
  });

  it('F13 F36 says nothing, or is gone, is written anew, by hand where its words are not known', async () => {
    await using rig = await createRig(OPTIONS);
    const id = await rig.create('spoiled', 'spoiled', ...PLAIN, '--context', 'Why it is done.');
    await rig.waitForStatus(id, 'planning');
    const said = '\n## Plan\n\nAPPROACH: x\n\n## Notes\n\nWhat I found.\n';
    appendFileSync(rig.taskFile(id), said);
    await rig.waitForStatus(id, 'working');
    for (const [because, lose] of [
      ['empty', (path: string) => writeFileSync(path, '')],
      ['gone', (path: string) => rmSync(path)],
    ] as const) {
      lose(rig.taskFile(id));
      await rig.waitForEvent(
        id,
        (event) => event.type === 'task.restored' && event['because'] === because,
      );
      const text = rig.read(rig.taskFile(id));
      expect(text).toContain('## Context\n\nWhy it is done.\n');
      expect(text.endsWith(said)).toBe(true);
    }
    await rig.must('daemon', 'stop');
    writeFileSync(rig.taskFile(id), '');
    await rig.must('daemon', 'start');
    const doctor = await rig.orange('doctor');
    expect(doctor.stdout).toContain('its Context and sections are not known');
    expect(doctor.stdout).toContain('orange doctor --fix task-unreadable');
    expect(rig.read(rig.taskFile(id))).toBe('');
    await rig.must('doctor', '--fix', 'task-unreadable', '--yes');
    expect(rig.field(id, 'harness')).toBe('plain');
    appendFileSync(rig.taskFile(id), '\n## Handoff\n\nDONE: all\nREMAINING: nothing\n');
    await rig.waitForStatus(id, 'agent-review');
    expect(rig.history(id).filter(({ type }) => type === 'agent.spawned')).toHaveLength(1);
  });

  it('in a folder that is no task’s hides nothing and stays where it is', async () => {
    await using rig = await createRig(OPTIONS);
    const id = await rig.create('sound', 'sound', ...PLAIN);
    await rig.must('daemon', 'stop');
    const folders = ['a\\b', '-x', 'with space', '$(touch pwn)', '\u001b[31m'];
    for (const name of folders) mkdirSync(join(rig.home, 'tasks', rig.project, name));
    writeFileSync(join(rig.home, 'tasks', 'a file'), '');
    for (const _ of ['without a daemon', 'with one']) {
      const listed = await rig.must('task', 'list', '--json');
      expect(listed.json<{ id: string }[]>().map((task) => task.id)).toEqual([id]);
      expect((await rig.orange('validate')).code).toBeLessThan(2);
      await rig.must('daemon', 'start');
    }
    await expectOthersGoOn(rig, id);
    for (const name of folders)
      expect(existsSync(join(rig.home, 'tasks', rig.project, name))).toBe(true);
  });

  it('as history: a torn last line is repaired with an event, an earlier bad line is reported', async () => {
    await using rig = await createRig(OPTIONS);
    const id = await rig.create('torn', 'torn', ...PLAIN);
    const history = join(rig.taskDir(id), 'history.jsonl');
    appendFileSync(history, '{"type":"half');
    appendFileSync(rig.taskFile(id), '\n## Plan\n\nAPPROACH: go on\n');
    await rig.until('the event', () => rig.read(history).includes('history.repaired'));
    const events = rig.history(id);
    expect(events.map(({ type }) => type)).toContain('history.repaired');
    expect(movesOf(rig, id)).toEqual(['planning', 'working']);

    const lines = rig.read(history).split('\n');
    await rig.must('daemon', 'stop');
    writeFileSync(history, [...lines.slice(0, 1), 'not json', ...lines.slice(1)].join('\n'));
    const shown = await rig.must('task', 'show', id, '--json');
    expect(shown.json<{ history: unknown[] }>().history).toHaveLength(events.length);
    const found = await rig.orange('doctor', '--json');
    expect(found.code).toBe(1);
    expect(found.stdout).toContain('history.jsonl');
    expect(rig.read(history)).toContain('not json');
  });
});

describe('other files that cannot be trusted', () => {
  it('projects.json that is no JSON is reported and never overwritten', async () => {
    await using rig = await createRig(OPTIONS);
    const file = join(rig.home, 'projects.json');
    writeFileSync(file, '[{"name": "shop",');
    const added = await rig.orange('project', 'add', rig.repository, '--json');
    expect(added.code).toBe(1);
    expect(added.stdout).toContain('projects.json');
    expect(rig.read(file)).toBe('[{"name": "shop",');
  });

  it('config.yaml with a mistake is named with its line and nearest key, and the rest goes on', async () => {
    await using rig = await createRig(OPTIONS);
    appendFileSync(join(rig.home, 'projects.json'), '');
    rig.write(join(rig.home, 'config.yaml'), 'policy:\n  setle_ms: 5\n  crash_limit: many\n');
    const found = await rig.orange('validate', '--json');
    expect(found.code).toBe(1);
    const findings = found.json<Finding[]>().filter(({ file }) => file.endsWith('config.yaml'));
    expect(findings.map(({ line }) => line)).toEqual([2, 3]);
    expect(JSON.stringify(findings)).toContain('settle_ms');
    expect(
      (
        await rig.must('task', 'create', 'still', 'x', '--harness', 'demo', '--no-spawn', '--json')
      ).json(),
    ).toMatchObject({ status: 'pending' });
  });
});

async function expectReported(rig: Rig, bad: readonly string[], good: string): Promise<void> {
  const listed = await rig.must('task', 'list', '--json');
  const ids = listed.json<{ id: string }[]>().map(({ id }) => id);
  expect(ids.toSorted()).toEqual([...bad, good].toSorted());
  const found = await rig.orange('validate', '--json');
  expect(found.code).toBe(1);
  const findings = found.json<Finding[]>().filter(({ severity }) => severity === 'error');
  const files = new Set(findings.map(({ file }) => file));
  expect([...files].toSorted()).toEqual(bad.map((id) => rig.taskFile(id)).toSorted());
  for (const finding of findings) {
    expect(finding.code).toMatch(/^ORA\d{3}$/);
    expect(finding.line).toBeGreaterThan(0);
    expect(finding.message).not.toBe('');
    expect(finding.fix).not.toBe('');
  }
  const human = await rig.orange('validate');
  for (const id of bad) expect(human.stdout).toContain(rig.taskFile(id));
}

async function expectOthersGoOn(rig: Rig, good: string): Promise<void> {
  appendFileSync(rig.taskFile(good), '\n## Plan\n\nAPPROACH: unmoved\n');
  await rig.waitForStatus(good, 'working');
}

function movesOf(rig: Rig, id: string): readonly unknown[] {
  const moves = rig
    .history(id)
    .filter(({ type }) => type === 'status.changed' || type === 'auto.advanced');
  return moves.map(({ to }) => to);
}
