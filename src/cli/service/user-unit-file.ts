import { DAEMON_NODE_FLAGS } from '../../domain/daemon-node-flags.js';
import { EXIT } from '../../domain/describe-failure.js';
import { SERVICE_MARK, type ServiceOrder } from './service.js';

/** The unit of a systemd user service. Agents are no part of it: they outlive a restart. */
export function writeUserUnit(order: ServiceOrder): string {
  return `# ${SERVICE_MARK}
# Remove it with: orange daemon uninstall
[Unit]
Description=orange, a supervisor for coding agents
Documentation=man:systemd.service(5)

[Service]
Type=simple
ExecStart=${commandLine(order)}
Environment=${word(`ORANGE_HOME=${order.home}`)}
Environment=${word(`PATH=${order.path}`)}
UMask=0077
KillMode=process
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=${EXIT.usage} ${EXIT.locked}

[Install]
WantedBy=default.target
`;
}

function commandLine({ nodePath, daemonEntry }: ServiceOrder): string {
  return [nodePath, ...DAEMON_NODE_FLAGS, daemonEntry].map(commandWord).join(' ');
}

/** A word of a command line, where systemd also expands variables. */
function commandWord(text: string): string {
  return word(text.replaceAll('$', '$$$$'));
}

/** One word as systemd reads it: quoted, with nothing left to expand. */
function word(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('%', '%%');
  return `"${escaped}"`;
}
