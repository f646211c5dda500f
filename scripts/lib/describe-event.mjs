/** One event of a task's history in a few words for a person. */
export function describeEvent(event) {
  const { type, timestamp: _when, ...facts } = event;
  const text = WORDS[type]?.(facts) ?? `${type} ${JSON.stringify(facts)}`;
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, 160);
}

const WORDS = {
  'task.created': ({ branch }) => `created on branch ${branch}`,
  'agent.spawned': ({ workspace }) => `agent started in ${workspace}`,
  'status.changed': ({ from, to }) => `${from} → ${to}`,
  'auto.advanced': ({ from, to, reason }) => `${from} → ${to} (${reason})`,
  'agent.crashed': ({ reason, exit_status: status }) =>
    `agent crashed${status === undefined ? '' : ` with exit status ${status}`}: ${reason}`,
  'review.started': ({ round, window }) => `reviewer started (${window ?? `round ${round}`})`,
  'task.merged': ({ commit }) => `merged as ${commit}`,
};

/** The status a task has after an event, or null when the event is no move. */
export function statusAfter({ type, to }) {
  return type === 'status.changed' || type === 'auto.advanced' ? to : null;
}
