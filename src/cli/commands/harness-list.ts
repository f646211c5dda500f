import type { Command } from 'commander';
import { DEMO_HARNESS, HARNESS_PROGRAMS } from '../../domain/harness-names.js';
import { success, type Result } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, type JsonOption } from '../options.js';
import { readSettings } from '../read-settings.js';
import { formatTable, type Cell } from '../table.js';

export type HarnessRow = {
  readonly name: string;
  readonly program: string;
  readonly path: string | null;
  readonly installed: boolean;
  /** Place in `harness_order`, from 1; null for one that is never picked by itself. */
  readonly order: number | null;
};

export function addHarnessListCommand(parent: Command, run: Run): void {
  withJson(parent.command('list'))
    .description('the agent programs that orange can run')
    .action((options: JsonOption) => run(options, listHarnesses));
}

export async function listHarnesses(context: CommandContext): Promise<Ending> {
  const rows = await readHarnesses(context);
  if (!rows.ok) return rows;
  const settings = await readSettings(context);
  for (const found of settings.ok ? settings.value.diagnostics : []) {
    context.output.note(`${found.file}:${found.line} ${found.message} (${found.fix})`);
  }
  context.output.result(rows.value, () =>
    formatTable(rows.value.map(formatRow), { columns: context.output.columns, flexible: 3 }),
  );
  return ENDED_WELL;
}

export async function readHarnesses(
  context: CommandContext,
): Promise<Result<readonly HarnessRow[]>> {
  const settings = await readSettings(context);
  if (!settings.ok) return settings;
  const { harnesses, harnessOrder } = settings.value.settings;
  const { findProgram } = await import('../../adapters/find-program.js');
  const programs = new Map(Object.entries(HARNESS_PROGRAMS));
  for (const [name, { command }] of Object.entries(harnesses)) {
    programs.set(name, command?.[0] ?? programs.get(name) ?? name);
  }
  const rows = [...programs].map(([name, program]): HarnessRow => {
    const path = findProgram(program, context.env['PATH'] ?? '');
    const place = harnessOrder.indexOf(name);
    return { name, program, path, installed: path !== null, order: place < 0 ? null : place + 1 };
  });
  const demo = {
    name: DEMO_HARNESS,
    program: 'built in',
    path: null,
    installed: true,
    order: null,
  };
  return success([
    ...rows.toSorted(
      (a, b) => (a.order ?? LAST) - (b.order ?? LAST) || a.name.localeCompare(b.name),
    ),
    ...(programs.has(DEMO_HARNESS) ? [] : [demo]),
  ]);
}

const LAST = 1_000_000;

function formatRow(row: HarnessRow): readonly Cell[] {
  return [
    row.installed ? { text: '●', tone: 'green' } : { text: '○', tone: 'dim' },
    row.name,
    { text: row.installed ? 'installed' : 'not installed', tone: row.installed ? 'green' : 'dim' },
    { text: row.path ?? row.program, tone: 'dim' },
  ];
}
