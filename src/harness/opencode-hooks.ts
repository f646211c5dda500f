import { REPORT_FUNCTION } from './hook-report.js';

/** A plugin for opencode that says when it begins a turn, ends it, or asks; helpers of it count not. */
export const OPENCODE_PLUGIN = `${REPORT_FUNCTION}
const subSessions = new Set();

export const Orange = async () => ({
  event: async ({ event }) => {
    const { sessionID, info, status } = event.properties ?? {};
    if (info?.parentID !== undefined && event.type.startsWith('session.')) subSessions.add(info.id);
    if (event.type === 'permission.asked' || event.type === 'question.asked') report('asks');
    if (subSessions.has(sessionID)) return;
    if (event.type === 'session.idle') report('turnOver');
    if (event.type === 'session.status' && status?.type === 'busy') reportBusy();
  },
});

let lastBusy = 0;

// It says that it is busy at every step; once in a while is enough.
function reportBusy() {
  const now = Date.now();
  if (now - lastBusy > 60000) report('working');
  lastBusy = now;
}
`;
