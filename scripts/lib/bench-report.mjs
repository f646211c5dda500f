import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import { runProgram } from './run-program.mjs';
import { table } from './table.mjs';

/** The rows as a table in Markdown. */
export function benchTable(rows) {
  const cells = rows.map(({ what, figure, compared = '', limit = '', isMet = null }) => [
    what,
    figure,
    compared,
    limit,
    isMet === null ? '' : isMet ? 'yes' : 'NO',
  ]);
  return table(cells, ['what', 'figure', 'compared', 'limit', 'met']);
}

/** docs/benchmarks.md, whole: nobody has to add anything to it. */
export function benchReport(rows, { machine, commit, date }) {
  return `# Benchmarks

One whole run of \`npm run bench\`, which wrote this page. What is compared was measured in the same run, in turns: look at the ratios, not at the milliseconds. ${describeMissed(rows)}

Before each measured death of an agent there is a pause of 100 to 600 ms, so that the death comes at any moment between two looks of a poller, and the one before it is dealt with; rows that say “one right after another” have none. When the tmux server is killed, the agents die with it, all at once.

A section “replaced by rename” is a whole new TASK.md in the place of the one in the task's folder, or of the link to it in the worktree. With no inotify the daemon is told of no change, and looks at each task once a second; where a machine allows no user namespace, that row was not measured.

What an agent costs that prints without end, or rewrites TASK.md without pause, is the share of one core that the daemon and its client of tmux take. tmux itself has to read whatever is printed, and is told beside it.

Measured on ${date} at ${commit}. Machine: ${machine}.

${benchTable(rows)}
`;
}

function describeMissed(rows) {
  const missed = rows.filter(({ isMet }) => isMet === false).length;
  if (missed === 0) return 'Every limit is met.';
  return missed === 1 ? 'One limit is missed.' : `${missed} limits are missed.`;
}

/** Cores, memory, system, Node and load; nothing that names a machine. */
export function describeMachine() {
  const names = { linux: 'Linux', darwin: 'macOS' };
  return [
    `${cpus().length} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${names[platform()] ?? platform()} ${arch()}`,
    `Node ${process.version}`,
    `load ${loadavg()[2].toFixed(1)} over the last fifteen minutes, this run included`,
  ].join(', ');
}

/** The commit that was measured, `-dirty` when files differ from it, what is written here aside. */
export async function describeCommit(written) {
  const head = await runProgram('git', ['rev-parse', '--short', 'HEAD']);
  if (head.code !== 0) return 'an unknown commit';
  const args = ['status', '--porcelain', '--', '.', `:(exclude)${written}`];
  const status = await runProgram('git', args);
  const isClean = status.code === 0 && status.stdout.trim() === '';
  return `commit ${head.stdout.trim()}${isClean ? '' : '-dirty'}`;
}
