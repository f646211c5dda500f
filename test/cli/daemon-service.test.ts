import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeService } from '../../src/cli/service/describe-service.js';
import type { Service } from '../../src/cli/service/service.js';
import { startByService } from '../../src/cli/service/start-by-service.js';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { cliRig } from './cli-rig.js';

const delay = async (): Promise<void> => undefined;

/** A folder with a stand-in for the manager that writes down how it was called. */
function rig(platform: 'linux' | 'darwin', answer: 'answers' | 'is silent' = 'answers') {
  const root = mkdtempSync(join(tmpdir(), 'or-service-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const calls = join(root, 'calls');
  mkdirSync(join(root, 'bin'));
  for (const name of ['systemctl', 'launchctl']) {
    const path = join(root, 'bin', name);
    const body = `#!/bin/sh\necho "${name} $*" >> "${calls}"\n${answer === 'answers' ? 'exit 0' : 'echo "no bus" >&2; exit 1'}\n`;
    writeFileSync(path, body);
    chmodSync(path, 0o755);
  }
  const env = { PATH: `${join(root, 'bin')}:/usr/bin:/bin` };
  const service = describeService(
    {
      env,
      homedir: root,
      nodePath: '/opt/no de/bin/node',
      daemonEntry: '/opt/100%/$x/d.js',
      platform,
      uid: 501,
    },
    join(root, 'home "of" pat'),
  );
  if (service === null) throw new Error('no service');
  const cli = cliRig({ isDaemonUp: false, env, override: { service, delay } });
  const called = (): readonly string[] =>
    existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
  return { root, env, service, cli, called };
}

const HOLDER = { pid: 77, isAlive: () => true, signal: () => undefined };
const text = ({ file }: Service): string => readFileSync(file, 'utf8');

describe('orange daemon install', () => {
  it('writes a user unit that leaves agents alone, and enables it', async () => {
    const { cli, service, called, root } = rig('linux');
    const ran = await cli.run('daemon', 'install', '--json');
    expect(ran.json()).toMatchObject({ manager: 'systemd', state: 'enabled', file: service.file });
    expect(service.file.startsWith(join(root, '.config/systemd/user/orange-'))).toBe(true);
    const unit = text(service);
    expect(unit).toContain(
      'ExecStart="/opt/no de/bin/node" "--max-semi-space-size=4" "--v8-pool-size=1" "/opt/100%%/$$x/d.js"',
    );
    expect(unit).toContain(`Environment="ORANGE_HOME=${root}/home \\"of\\" pat"`);
    expect(unit).toContain('KillMode=process');
    expect(unit).toContain('Restart=on-failure');
    expect(unit).toContain('RestartPreventExitStatus=2 100');
    expect(called()).toEqual([
      'systemctl --user show-environment',
      'systemctl --user daemon-reload',
      `systemctl --user enable --now ${service.name}`,
    ]);
  });

  it('says that the daemon runs only when it answers', async () => {
    const { cli, service, env } = rig('linux');
    const silent = await cli.run('daemon', 'install');
    expect(silent.stdout).toContain('it does not answer yet');
    expect(silent.stdout).not.toContain('the daemon runs');
    expect((await cli.run('daemon', 'install', '--json')).json()).toMatchObject({ running: false });
    const up = cliRig({ env, override: { service, daemonHolder: async () => null } });
    expect((await up.run('daemon', 'install')).stdout).toContain('the daemon runs');
  });

  it('writes a launchd agent on a Mac', async () => {
    const { cli, service, called, root } = rig('darwin');
    expect((await cli.run('daemon', 'install')).exitCode).toBe(0);
    expect(service.file.startsWith(join(root, 'Library/LaunchAgents/orange.daemon-'))).toBe(true);
    expect(text(service)).toContain('<string>/opt/no de/bin/node</string>');
    expect(text(service)).toContain('<key>AbandonProcessGroup</key>\n  <true/>');
    expect(called()).toEqual([
      'launchctl print gui/501',
      `launchctl bootstrap gui/501 ${service.file}`,
    ]);
  });

  it('says what to run where no manager answers, stops nothing, and ends with 1', async () => {
    const { cli, service } = rig('linux', 'is silent');
    const ran = await cli.run('daemon', 'install');
    expect(ran.exitCode).toBe(1);
    const asJson = await cli.run('daemon', 'install', '--json');
    expect(asJson.exitCode).toBe(1);
    expect(asJson.json()).toMatchObject({ error: { code: 'service-not-enabled' } });
    expect(ran.stderr).toContain(`Wrote ${service.file}, but systemd does not answer here`);
    expect(ran.stderr).toContain(`systemctl --user enable --now ${service.name}`);
    expect(existsSync(service.file)).toBe(true);
  });

  it('may be repeated', async () => {
    const { cli, service } = rig('linux');
    await cli.run('daemon', 'install');
    const before = text(service);
    expect((await cli.run('daemon', 'install')).exitCode).toBe(0);
    expect(text(service)).toBe(before);
  });

  it('leaves a unit alone that it did not write, and so does uninstall', async () => {
    const { cli, service, called } = rig('linux');
    mkdirSync(dirname(service.file), { recursive: true });
    writeFileSync(service.file, '[Unit]\n');
    for (const verb of ['install', 'uninstall']) {
      const ran = await cli.run('daemon', verb, '--json');
      expect(ran.exitCode).toBe(1);
      expect(ran.json()).toMatchObject({ error: { code: 'file-not-ours' } });
    }
    expect(text(service)).toBe('[Unit]\n');
    expect(called()).toEqual([]);
  });

  it('says so where the platform has no manager', async () => {
    const ran = await cliRig().run('daemon', 'install', '--json');
    expect(ran.exitCode).toBe(1);
    expect(ran.json()).toMatchObject({ error: { code: 'unsupported' } });
  });
});

describe('orange daemon uninstall', () => {
  it('removes exactly what install wrote', async () => {
    const { cli, service, called } = rig('linux');
    await cli.run('daemon', 'install');
    const ran = await cli.run('daemon', 'uninstall', '--json');
    expect(ran.json()).toMatchObject({ was_installed: true });
    expect(existsSync(service.file)).toBe(false);
    expect(called().slice(3)).toEqual([
      'systemctl --user show-environment',
      `systemctl --user disable --now ${service.name}`,
      'systemctl --user daemon-reload',
    ]);
    const again = await cli.run('daemon', 'uninstall', '--json');
    expect(again.json()).toMatchObject({ was_installed: false });
  });
});

describe('what uninstall says of the daemon', () => {
  it('is that one which the service did not start goes on', async () => {
    const { service, env } = rig('linux');
    const override = { service, daemonHolder: async () => HOLDER };
    const cli = cliRig({ isDaemonUp: false, env, override });
    await cli.run('daemon', 'install');
    const { stdout } = await cli.run('daemon', 'uninstall');
    expect(stdout).toContain('The daemon (pid 77) goes on');
    const help = (await cli.run('daemon', 'uninstall', '--help')).stdout;
    expect(help).toContain('a daemon that it started stops');
  });
});

describe('a daemon that is needed', () => {
  it('is started by its service where one is installed and answers', async () => {
    const { cli, service, env, called } = rig('linux');
    const files = createDiskFiles();
    expect(await startByService({ service, files, env })).toBe(false);
    await cli.run('daemon', 'install');
    expect(await startByService({ service, files, env })).toBe(true);
    expect(called().at(-1)).toBe(`systemctl --user start ${service.name}`);
  });

  it('is started directly where the manager does not answer', async () => {
    const { cli, service, env } = rig('linux', 'is silent');
    await cli.run('daemon', 'install');
    expect(await startByService({ service, files: createDiskFiles(), env })).toBe(false);
  });
});
