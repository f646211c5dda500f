import type { Command } from 'commander';
import { failed } from '../../domain/result.js';
import { isTerminal } from '../../domain/status.js';
import type { ProjectView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, type JsonOption } from '../options.js';
import { paint } from '../paint.js';
import { projectsFileProblems } from '../projects-in-doubt.js';
import { formatTable, type Cell } from '../table.js';

export function addProjectListCommand(parent: Command, run: Run): void {
  withJson(parent.command('list'))
    .description('list the registered repositories')
    .action((options: JsonOption) => run(options, listProjects));
}

export async function listProjects(context: CommandContext): Promise<Ending> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const { projects, tasks } = snapshot.value;
  const damage = projectsFileProblems(context, snapshot.value);
  if (damage.length > 0 && projects.length === 0) {
    return failed({ kind: 'file-rejected', diagnostics: damage });
  }
  for (const { file, line, message } of damage.slice(0, 1)) {
    context.output.note(`${file}:${line} ${message}; what was last valid is shown.`);
  }
  const openTasks = (name: string): number =>
    tasks.filter((task) => task.fields.project === name && !isTerminal(task.fields.status)).length;
  context.output.result(projects, () => {
    if (projects.length === 0) {
      return paint('dim', 'No projects. Register one with: orange project add PATH');
    }
    const rows = projects.map((project) => projectRow(project, openTasks(project.name)));
    return formatTable(rows, { columns: context.output.columns, flexible: 1 });
  });
  return ENDED_WELL;
}

const TRUST: Readonly<Record<ProjectView['trusted'], string>> = {
  'none-needed': '',
  trusted: 'orange.yaml trusted',
  untrusted: 'orange.yaml not trusted',
  changed: 'orange.yaml changed',
};

function projectRow(project: ProjectView, open: number): readonly Cell[] {
  return [
    { text: project.name, tone: 'bold' },
    project.path,
    project.default_branch,
    `${project.pool_size} wt`,
    `${open} open`,
    { text: TRUST[project.trusted], tone: project.trusted === 'trusted' ? 'dim' : 'yellow' },
  ];
}
