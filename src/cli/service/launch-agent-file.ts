import { DAEMON_NODE_FLAGS } from '../../domain/daemon-node-flags.js';
import { SERVICE_MARK, type ServiceOrder } from './service.js';

/** The property list of a launchd agent. Agents are left alone when the daemon goes. */
export function writeLaunchAgent(order: ServiceOrder): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${SERVICE_MARK}. Remove it with: orange daemon uninstall -->
<plist version="1.0">
<dict>
  <key>Label</key>
  ${text(order.name)}
  <key>ProgramArguments</key>
  <array>
    ${[order.nodePath, ...DAEMON_NODE_FLAGS, order.daemonEntry].map(text).join('\n    ')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>ORANGE_HOME</key>
    ${text(order.home)}
    <key>PATH</key>
    ${text(order.path)}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>10</integer>
</dict>
</plist>
`;
}

function text(value: string): string {
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<string>${escaped}</string>`;
}
