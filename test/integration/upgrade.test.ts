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

it('F74 a newer orange replaces an older daemon and touches no agent', async () => {
  await using rig = await createRig({ agents: { idle: {} } });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const older = makeOlderProgram(rig, version);
  const started = spawnSync(process.execPath, [older, 'daemon', 'start', '--json'], {
    env: rig.env,
    cwd: rig.repository,
    encoding: 'utf8',
  });
  expect(started.status, started.stderr).toBe(0);
  expect(JSON.parse(started.stdout)).toMatchObject({ version: '0.0.1' });

  const listed = await rig.must('task', 'list', '--json');
  expect(listed.json()).toEqual([]);
  const kept = (await rig.must('daemon', 'status', '--json')).json<{ version: string }>();
  expect(kept.version).toBe('0.0.1');

  const created = spawnSync(
    process.execPath,
    [older, 'task', 'create', '--json', 'steady', 'Steady', '--harness', 'idle'],
    { env: rig.env, cwd: rig.repository, encoding: 'utf8' },
  );
  expect(created.status, created.stderr).toBe(0);
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
