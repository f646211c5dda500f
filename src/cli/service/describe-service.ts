import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Environment } from '../command-context.js';
import { writeLaunchAgent } from './launch-agent-file.js';
import type { Service, ServiceOrder } from './service.js';
import { writeUserUnit } from './user-unit-file.js';

export function describeService(
  facts: {
    readonly env: Environment;
    readonly homedir: string;
    readonly nodePath: string;
    readonly daemonEntry: string;
    readonly platform: string;
    readonly uid: number | null;
  },
  home: string,
): Service | null {
  const { env, homedir } = facts;
  const suffix = home === join(homedir, 'orange') ? '' : `-${digestOf(home)}`;
  const order = { ...facts, home, path: env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin' };
  if (facts.platform === 'linux') {
    const settings = env['XDG_CONFIG_HOME'] ?? '';
    const folder = settings.startsWith('/') ? settings : join(homedir, '.config');
    return systemdService({ ...order, name: `orange${suffix}.service` }, folder);
  }
  if (facts.platform === 'darwin' && facts.uid !== null) {
    return launchdService({ ...order, name: `orange.daemon${suffix}` }, homedir, facts.uid);
  }
  return null;
}

function systemdService(order: ServiceOrder, settings: string): Service {
  const { name } = order;
  return {
    manager: 'systemd',
    name,
    file: join(settings, 'systemd', 'user', name),
    text: writeUserUnit(order),
    probe: user('show-environment'),
    enable: [user('daemon-reload'), user('enable', '--now', name)],
    disable: [user('disable', '--now', name)],
    forget: [user('daemon-reload')],
    start: user('start', name),
  };
}

function user(...words: readonly string[]): readonly string[] {
  return ['systemctl', '--user', ...words];
}

function launchdService(order: ServiceOrder, homedir: string, uid: number): Service {
  const { name } = order;
  const file = join(homedir, 'Library', 'LaunchAgents', `${name}.plist`);
  const domain = `gui/${uid}`;
  return {
    manager: 'launchd',
    name,
    file,
    text: writeLaunchAgent(order),
    probe: ['launchctl', 'print', domain],
    enable: [['launchctl', 'bootstrap', domain, file]],
    disable: [['launchctl', 'bootout', `${domain}/${name}`]],
    forget: [],
    start: ['launchctl', 'kickstart', `${domain}/${name}`],
  };
}

function digestOf(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 8);
}
