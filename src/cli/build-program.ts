import { Command, CommanderError } from 'commander';
import { addDaemonInstallCommand } from './commands/daemon-install.js';
import { addDaemonRestartCommand } from './commands/daemon-restart.js';
import { addDaemonStartCommand } from './commands/daemon-start.js';
import { addDaemonStatusCommand } from './commands/daemon-status.js';
import { addDaemonStopCommand } from './commands/daemon-stop.js';
import { addDaemonUninstallCommand } from './commands/daemon-uninstall.js';
import { showDashboard, type DashboardOptions } from './commands/dashboard.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addHarnessListCommand } from './commands/harness-list.js';
import { addApproveCommand, addRejectCommand } from './commands/decide-gate.js';
import { addInboxCommand } from './commands/inbox.js';
import { addLocksCheckCommand } from './commands/locks-check.js';
import { addLocksListCommand } from './commands/locks-list.js';
import { addLocksReleaseCommand } from './commands/locks-release.js';
import { addLocksReserveCommand } from './commands/locks-reserve.js';
import { addLogCommand } from './commands/log.js';
import { addNextCommand } from './commands/next.js';
import { addPrCreateCommand } from './commands/pr-create.js';
import { addPrFeedbackCommand } from './commands/pr-feedback.js';
import { addPrOpenCommand } from './commands/pr-open.js';
import { addPrSyncCommand } from './commands/pr-sync.js';
import { addProjectAddCommand } from './commands/project-add.js';
import { addProjectListCommand } from './commands/project-list.js';
import { addProjectRemoveCommand } from './commands/project-remove.js';
import { addProjectTrustCommand } from './commands/project-trust.js';
import { addProjectUpdateCommand } from './commands/project-update.js';
import { addSalvageDropCommand } from './commands/salvage-drop.js';
import { addSalvageListCommand } from './commands/salvage-list.js';
import { addSalvagePruneCommand } from './commands/salvage-prune.js';
import { addSalvageRestoreCommand } from './commands/salvage-restore.js';
import { addSalvageShowCommand } from './commands/salvage-show.js';
import { addTaskAnswerCommand } from './commands/task-answer.js';
import { addTaskAskCommand } from './commands/task-ask.js';
import { addRepairCommand } from './commands/repair.js';
import { addTaskAttachCommand } from './commands/task-attach.js';
import { addTaskCancelCommand } from './commands/task-cancel.js';
import { addTaskCreateCommand } from './commands/task-create.js';
import { addTaskDeleteCommand } from './commands/task-delete.js';
import { addTaskDepsCommand } from './commands/task-deps.js';
import { addTaskDiffCommand } from './commands/task-diff.js';
import { addTaskFinalizeCommand } from './commands/task-finalize.js';
import { addTaskDriftCommand } from './commands/task-drift.js';
import { addTaskListCommand } from './commands/task-list.js';
import { addTaskLogCommand } from './commands/task-log.js';
import { addTaskMergeCommand } from './commands/task-merge.js';
import { addTaskQueueCommands } from './commands/task-queue.js';
import { addTaskReopenCommand } from './commands/task-reopen.js';
import { addTaskReportCommand } from './commands/task-report.js';
import { addTaskRequestChangesCommand } from './commands/task-request-changes.js';
import { addTaskRespawnCommand } from './commands/task-respawn.js';
import { addTaskReviewCommand } from './commands/task-review.js';
import { addTaskSendCommand } from './commands/task-send.js';
import { addTaskShowCommand } from './commands/task-show.js';
import { addTaskSpawnCommand } from './commands/task-spawn.js';
import { addTaskUpdateCommand } from './commands/task-update.js';
import { addTaskWaitCommand } from './commands/task-wait.js';
import { addValidateCommand } from './commands/validate.js';
import { addWorkspaceGcCommand } from './commands/workspace-gc.js';
import { addWorkspaceInitCommand } from './commands/workspace-init.js';
import { addWorkspaceListCommand } from './commands/workspace-list.js';
import type { Run } from './command-context.js';
import { nearestNames } from './nearest-names.js';
import { withJson, withProject } from './options.js';
import type { Writer } from './output.js';

/** The whole command line on one page. */
export function buildProgram(parts: {
  readonly run: Run;
  readonly version: string;
  readonly stdout: Writer;
  readonly stderr: Writer;
}): Command {
  const { run } = parts;
  const program = createRoot(parts);

  const task = program.command('task').description('make, watch and steer tasks');
  addTaskCreateCommand(task, run);
  addTaskListCommand(task, run);
  addTaskShowCommand(task, run);
  addTaskUpdateCommand(task, run);
  addTaskSpawnCommand(task, run);
  addTaskAttachCommand(task, run);
  addTaskRespawnCommand(task, run);
  addTaskQueueCommands(task, run);
  addTaskDepsCommand(task, run);
  addTaskSendCommand(task, run);
  addTaskReportCommand(task, run);
  addTaskAskCommand(task, run);
  addTaskAnswerCommand(task, run);
  addTaskReviewCommand(task, run);
  addTaskRequestChangesCommand(task, run);
  addTaskWaitCommand(task, run);
  addTaskDiffCommand(task, run);
  addTaskFinalizeCommand(task, run);
  addTaskMergeCommand(task, run);
  addTaskCancelCommand(task, run);
  addTaskReopenCommand(task, run);
  addTaskDeleteCommand(task, run);
  addTaskLogCommand(task, run);

  addTaskListCommand(program, run, 'ls');
  addTaskSpawnCommand(program, run);
  addTaskAttachCommand(program, run);
  addTaskCancelCommand(program, run);
  addNextCommand(program, run);
  addInboxCommand(program, run);
  addApproveCommand(program, run);
  addRejectCommand(program, run);

  const project = program.command('project').description('register repositories');
  addProjectAddCommand(project, run);
  addProjectListCommand(project, run);
  addProjectUpdateCommand(project, run);
  addProjectRemoveCommand(project, run);
  addProjectTrustCommand(project, run);

  addWorkspaceCommands(program, run);
  addSalvageCommands(program, run);
  addPullRequestCommands(program, run);
  addLocksCommands(program, task, run);
  addDaemonCommands(program, run);

  addHarnessListCommand(program.command('harness').description('the agent programs'), run);

  addLogCommand(program, run);
  addValidateCommand(program, run);
  addDoctorCommand(program, run);
  addRepairCommand(program, run);
  return program;
}

function addSalvageCommands(program: Command, run: Run): void {
  const salvage = program.command('salvage').description('work that was saved');
  addSalvageListCommand(salvage, run);
  addSalvageShowCommand(salvage, run);
  addSalvageRestoreCommand(salvage, run);
  addSalvageDropCommand(salvage, run);
  addSalvagePruneCommand(salvage, run);
}

function addWorkspaceCommands(program: Command, run: Run): void {
  const workspace = program.command('workspace').description('the pool of worktrees');
  addWorkspaceInitCommand(workspace, run);
  addWorkspaceListCommand(workspace, run);
  addWorkspaceGcCommand(workspace, run);
}

function addPullRequestCommands(program: Command, run: Run): void {
  const pr = program.command('pr').description('pull requests on GitHub, through gh');
  addPrCreateCommand(pr, run);
  addPrOpenCommand(pr, run);
  addPrSyncCommand(pr, run);
  addPrFeedbackCommand(pr, run);
}

function addLocksCommands(program: Command, task: Command, run: Run): void {
  addTaskDriftCommand(task, run);
  const locks = program.command('locks').description('which files are held, and by whom');
  addLocksListCommand(locks, run);
  addLocksCheckCommand(locks, run);
  addLocksReserveCommand(locks, run);
  addLocksReleaseCommand(locks, run);
}

function addDaemonCommands(program: Command, run: Run): void {
  const daemon = program.command('daemon').description('the supervisor in the background');
  addDaemonStartCommand(daemon, run);
  addDaemonStopCommand(daemon, run);
  addDaemonRestartCommand(daemon, run);
  addDaemonStatusCommand(daemon, run);
  addDaemonInstallCommand(daemon, run);
  addDaemonUninstallCommand(daemon, run);
}

function createRoot(parts: {
  readonly run: Run;
  readonly version: string;
  readonly stdout: Writer;
  readonly stderr: Writer;
}): Command {
  const program = new Command('orange')
    .description('Supervises coding agents. Without a command: the dashboard.')
    .usage('[options] [command]')
    .version(parts.version, '-v, --version', 'print the version')
    .enablePositionalOptions()
    .helpCommand(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => parts.stdout.write(text),
      writeErr: (text) => parts.stderr.write(text),
      // Errors are thrown; whoever catches them chooses their form.
      outputError: () => undefined,
    })
    .argument('[command...]')
    .option('-a, --all', 'dashboard of every project, finished tasks too')
    .action(async (words: readonly string[], options: DashboardOptions) => {
      const [unknown] = words;
      if (unknown !== undefined) throw unknownCommand(program, unknown);
      await parts.run(options, (context) => showDashboard(context, options));
    });
  return withProject(withJson(program));
}

function unknownCommand(program: Command, name: string): CommanderError {
  const known = program.commands.map((command) => command.name());
  const [near] = nearestNames(name, known);
  const hint = near === undefined ? '' : `\n(Did you mean ${near}?)`;
  return new CommanderError(
    2,
    'commander.unknownCommand',
    `error: unknown command '${name}'${hint}`,
  );
}
