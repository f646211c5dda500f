import { violation } from './violation.mjs';

const FORMAT = [
  '#{session_id}',
  '#{?@orange_keeper,kept,}',
  '#{@orange_task}',
  '#{@orange_launch}',
  '#{session_name}:#{window_name}',
].join('\t');

/**
 * I4, I9: in orange's terminal are the windows of living agents, one for each launch, and the one
 * session that the daemon is connected to; nothing else is left there.
 */
export async function checkTerminal({ tmux }, agents) {
  const windows = await listWindows(tmux);
  const living = new Set(agents.map(({ taskId, launch }) => `${taskId} ${launch}`));
  const kept = new Set(windows.filter(({ isKept }) => isKept).map(({ session }) => session));
  const owned = windows.filter(({ isKept }) => !isKept);
  return [
    ...(kept.size > 1 ? [violation('I9', 'terminal', `keeps ${kept.size} sessions`)] : []),
    ...owned
      .filter(({ owner }) => !living.has(owner))
      .map(({ name, owner }) => leftOver(name, `is left there for ${owner}, which does not live`)),
    ...owned
      .filter(({ owner }, index) => owned.findIndex((each) => each.owner === owner) < index)
      .map(({ name, owner }) => leftOver(name, `is there beside another of ${owner}`)),
  ];
}

async function listWindows(tmux) {
  const { stdout } = await tmux('list-windows', '-a', '-F', FORMAT);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('$'))
    .map((line) => {
      const [session, kept, taskId, launch, name] = line.split('\t');
      return { session, isKept: kept === 'kept', owner: `${taskId} ${launch}`, name };
    });
}

function leftOver(name, what) {
  return violation('I4', `terminal window ${name}`, what);
}
