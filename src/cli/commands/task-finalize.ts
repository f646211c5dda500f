import { join } from 'node:path';
import type { Command } from 'commander';
import { revealText } from '../../domain/clean-text.js';
import type { Finalization } from '../../domain/finalization.js';
import { failed } from '../../domain/result.js';
import { toTaskJson } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { submit } from '../submit.js';
import { count, oneLine } from '../table.js';

export function addTaskFinalizeCommand(parent: Command, run: Run): void {
  withJson(parent.command('finalize'))
    .description('try the merge of a task without merging: conflicts, checks, risk, a report')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .action((name: string | undefined, options: JsonOption) =>
      run(options, (context) => finalizeTask(context, name)),
    );
}

export async function finalizeTask(
  context: CommandContext,
  name: string | undefined,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { id, project } = task.value.fields;
  const outcome = await submit(context, { kind: 'task.finalize', taskId: id });
  if (!outcome.ok) {
    const { failure } = outcome;
    return failed(failure.kind === 'merge-refused' ? { ...failure, isTrial: true } : failure);
  }
  const after = outcome.value.task ?? task.value;
  const report = join(context.paths.artifactsDir(project, id), 'finalization-report.md');
  const log = join(context.paths.testResultsDir(project, id), 'finalize.log');
  const { finalized } = after;
  context.output.result({ ...toTaskJson(after), finalized: finalized ?? null, report }, () => {
    if (finalized === undefined) return `Finalized ${nameTask(after)}.`;
    const { ready, risk, action, files, lines, conflicts, behind } = finalized;
    const named = nameConflicts(finalized);
    return [
      `${nameTask(after)}: ready ${ready ? 'YES' : 'NO'}, risk ${risk}, recommended: ${action}`,
      `  ${count(files, 'file')}, ${count(lines, 'line')}, ${count(conflicts, 'conflict')}, ${count(behind, 'commit')} behind its base`,
      ...named,
      ...(action === 'fix-checks' ? [`  A check failed; its output is in ${log}`] : []),
      conflicts === named.length ? `  ${report}` : `  All files in conflict are named in ${report}`,
    ].join('\n');
  });
  return ENDED_WELL;
}

/** The first files in conflict, a line each; a file may be called anything, and nothing of it is hidden. */
function nameConflicts({ conflicting }: Finalization): readonly string[] {
  return conflicting.slice(0, MAX_SHOWN).map((file) => `  conflict: ${oneLine(revealText(file))}`);
}

const MAX_SHOWN = 20;
