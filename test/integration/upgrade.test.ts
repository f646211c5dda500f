import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createRig, type Rig } from './orange-rig.js';

/** A copy of the built program that takes itself for an older version. */
function makeOlderProgram(rig: Rig, version: string): string {
  const folder = join(rig.root, 'older');
  cpSync(dirname(rig.program), folder, { recursive: true });
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.js'))) {
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(`"${version}"`, '"0.0.1"'));
  }
  return join(folder, 'orange.js');
}

/** The built program, and a copy of it from before an update. */
function beforeUpdate(rig: Rig) {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  const older = makeOlderProgram(rig, version);
  const runOlder = (...argv: readonly string[]): { readonly stdout: string } => {
    const ran = spawnSync(process.execPath, [older, ...argv], {
      env: rig.env,
      cwd: rig.repository,
      encoding: 'utf8',
    });
    expect(ran.status, ran.stderr).toBe(0);
    return ran;
  };
  const daemonVersion = async (): Promise<string> =>
    (await rig.must('daemon', 'status', '--json')).json<{ version: string }>().version;
  return { version, runOlder, daemonVersion };
}

it('F74 a newer orange replaces an older daemon and touches no agent', async () => {
  await using rig = await createRig({ agents: { idle: {} } });
  const { version, runOlder, daemonVersion } = beforeUpdate(rig);
  const started = runOlder('daemon', 'start', '--json');
  expect(JSON.parse(started.stdout)).toMatchObject({ version: '0.0.1' });

  const listed = await rig.must('task', 'list', '--json');
  expect(listed.json()).toEqual([]);
  expect(await daemonVersion()).toBe('0.0.1');

  const created = runOlder('task', 'create', '--json', 'steady', 'Steady', '--harness', 'idle');
  const { id } = JSON.parse(created.stdout);
  const agent = readFileSync(join(rig.home, 'run', id, 'worker.pid'), 'utf8');

  const replaced = await rig.must('daemon', 'start', '--json');
  expect(replaced.json()).toMatchObject({ version });
  expect(replaced.json()).not.toMatchObject({ pid: JSON.parse(started.stdout).pid });
  const [task] = (await rig.must('task', 'list', '--json')).json<
    { id: string; session: string }[]
  >();
  expect(task).toMatchObject({ id, session: 'active' });
  expect(readFileSync(join(rig.home, 'run', id, 'worker.pid'), 'utf8')).toBe(agent);
  const types = rig.history(id).map(({ type }) => type);
  expect(types).toEqual(['task.created', 'agent.spawned', 'status.changed']);
});

it('F74 every command that changes something replaces an older daemon, says so and goes on', async () => {
  await using rig = await createRig({ agents: { idle: {} } });
  const { version, runOlder, daemonVersion } = beforeUpdate(rig);
  runOlder('daemon', 'start');
  const created = runOlder('task', 'create', '--json', 'steady', 'Steady', '--harness', 'idle');
  const { id } = JSON.parse(created.stdout);
  for (const command of [
    ['task', 'send', id, 'Go on'],
    ['task', 'update', id, '--status', 'stuck'],
    ['task', 'request-changes', id, '-m', 'Begin again'],
    ['project', 'update', 'shop', '--pool-size', '3'],
    ['task', 'create', 'later', 'Later', '--no-spawn'],
    ['repair'],
    ['doctor', '--fix', 'all', '--yes'],
  ]) {
    const name = command.join(' ');
    const ran = await rig.orange(...command);
    expect(ran.code, `${name}: ${ran.stderr}`).toBe(0);
    expect(ran.stderr, name).toContain(`The daemon is orange 0.0.1; it is replaced by ${version}`);
    expect(await daemonVersion(), name).toBe(version);
    runOlder('daemon', 'restart');
  }
  expect(rig.sessions()).toEqual(['shop/steady']);
});
