import { REPORT_FUNCTION } from './hook-report.js';

/** What the plugin is told of one start: the session to go on with, and the file with the prompt. */
export const RESUMED_SESSION = 'ORANGE_RESUMED_SESSION';
export const RESUME_PROMPT = 'ORANGE_RESUME_PROMPT';

/**
 * A plugin for opencode that says when it begins a turn, ends it, or asks, and which session it is in.
 * Helpers of it count not, nor does an opencode that it starts itself and that inherits the plugin.
 * A session that is taken up again has its prompt from here, since opencode drops `--prompt` then.
 */
export const OPENCODE_PLUGIN = `${REPORT_FUNCTION}
import { readFileSync } from 'node:fs';

const session = process.env.${RESUMED_SESSION};
const promptFile = process.env.${RESUME_PROMPT};
delete process.env.${RESUMED_SESSION};
delete process.env.${RESUME_PROMPT};
process.env.ORANGE_OPENCODE_PID ??= String(process.pid);
const isNested = process.env.ORANGE_OPENCODE_PID !== String(process.pid);
const subSessions = new Set();
let isToBePrompted = !isNested && session !== undefined && promptFile !== undefined;

export const Orange = async ({ client }) => {
  if (isNested) return {};
  if (isToBePrompted) setTimeout(prompt, 0, client);
  isToBePrompted = false;
  return { event };
};

async function prompt(client) {
  try {
    const text = readFileSync(promptFile, 'utf8');
    const body = { parts: [{ type: 'text', text }] };
    const answer = await client.session.promptAsync({ path: { id: session }, body });
    if (answer.error !== undefined) report('notResumed');
  } catch {
    report('notResumed');
  }
}

async function event({ event }) {
  const { sessionID, info, status } = event.properties ?? {};
  if (info?.parentID && event.type.startsWith('session.')) subSessions.add(info.id);
  const own = subSessions.has(sessionID) ? undefined : sessionID;
  if (event.type === 'permission.asked' || event.type === 'question.asked') report('asks', own);
  if (subSessions.has(sessionID)) return;
  if (event.type === 'session.idle') report('turnOver', own);
  if (event.type === 'session.status' && status?.type === 'busy') reportBusy(own);
}

let lastBusy = 0;
let lastOwn;

// It says that it is busy at every step; once in a while is enough.
function reportBusy(own) {
  const now = Date.now();
  if (now - lastBusy > 60000 || own !== lastOwn) report('working', own);
  lastBusy = now;
  lastOwn = own;
}
`;
