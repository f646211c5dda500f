import type { Command } from 'commander';
import type { LockView } from '../../domain/lock.js';
import { success, type Result } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, withProject, type JsonOption } from '../options.js';
import { paint } from '../paint.js';
import { resolveProject } from '../resolve-name.js';
import { formatTable, oneLine, type Cell } from '../table.js';

type ListOptions = JsonOption & { readonly project?: string; readonly all?: boolean };

export function addLocksListCommand(parent: Command, run: Run): void {
  withProject(withJson(parent.command('list')))
    .description('who holds which files, and who is in whose way')
    .option('-a, --all', 'of every project')
    .action((options: ListOptions) => run(options, (context) => listLocks(context, options)));
}

export async function listLocks(context: CommandContext, options: ListOptions): Promise<Ending> {
  const isEverywhere = options.all === true && options.project === undefined;
  const project = isEverywhere ? success(null) : await resolveProject(context, options.project);
  if (!project.ok) return project;
  const locks = await readLocks(context);
  if (!locks.ok) return locks;
  const name = project.value?.name;
  const rows = locks.value.filter((row) => name === undefined || row.project === name);
  context.output.result(rows, () => formatLocks(rows, context.output.columns));
  return ENDED_WELL;
}

async function readLocks(context: CommandContext): Promise<Result<readonly LockView[]>> {
  const client = await context.runningClient();
  if (!client.ok) return client;
  if (client.value !== null) return client.value.call({ method: 'locks' });
  const { locksWithoutDaemon } = await import('../locks-without-daemon.js');
  return locksWithoutDaemon(context);
}

function formatLocks(rows: readonly LockView[], columns: number): string {
  if (rows.length === 0) return paint('dim', 'Nothing is reserved.');
  const cells = rows.map((row): readonly Cell[] => [
    row.kind === 'plan' ? 'plan' : row.id,
    oneLine(row.holder),
    { text: row.status ?? '', tone: 'dim' },
    inTheWay(row),
    oneLine(row.paths.join(', ')),
  ]);
  return formatTable(cells, { columns, flexible: 4 });
}

function inTheWay({ overlaps }: LockView): Cell {
  if (overlaps.length === 0) return '';
  return { text: `! ${overlaps.map(({ holder }) => oneLine(holder)).join(', ')}`, tone: 'yellow' };
}
