import { join } from 'node:path';
import { InternalError } from '../domain/failure.js';

/** Where everything of one home lies. */
export type Paths = {
  readonly home: string;
  readonly projectsFile: string;
  readonly configFile: string;
  /** config.yaml as it last was valid. */
  readonly goodConfigFile: string;
  readonly logFile: string;
  readonly runDir: string;
  /** What was reserved by hand, and let go of again. */
  readonly reservationsFile: string;
  /** When the daemon last renewed the leases of what is held. */
  readonly leaseFile: string;
  /** Tells in which format the home is written, and by which orange. */
  readonly formatFile: string;
  readonly daemonSocket: string;
  /** What a daemon that ended by a fault of its own was doing. */
  readonly crashFile: string;
  readonly tmuxSocket: string;
  readonly lockFile: string;
  readonly outboxDir: string;
  /** Intents that could not be read, set aside. */
  readonly damagedIntentsDir: string;
  /** Tasks that are being deleted. */
  readonly removedDir: string;
  /** Where the watch over idle worktrees leaves notes to itself. */
  readonly stillnessDir: string;
  /** Task files that were replaced a moment ago, for as long as somebody may still write into them. */
  readonly replacedDir: string;
  /** What orange itself wrote into the files of unfinished tasks, as long as it may be taken out again. */
  readonly ownEditsDir: string;
  ownEditsFile(taskId: string): string;
  /** What task files said when a copy took the place of the link to them. */
  readonly copyOriginsDir: string;
  copyOriginFile(taskId: string): string;
  /** What the frontmatter of the task's file was after each of orange's last writes. */
  ownWritesFile(taskId: string): string;
  readonly initiativesDir: string;
  readonly workspacesDir: string;
  readonly poolFile: string;
  readonly tasksDir: string;
  workspace(name: string): string;
  projectTasksDir(project: string): string;
  taskDir(project: string, id: string): string;
  /** Where a task's folder is filled before it takes its place: hidden, so that nobody takes it in. */
  taskDraft(id: string): string;
  taskFile(project: string, id: string): string;
  historyFile(project: string, id: string): string;
  transcriptsDir(project: string, id: string): string;
  testResultsDir(project: string, id: string): string;
  artifactsDir(project: string, id: string): string;
  /** Which commands of projects run now. */
  readonly commandsDir: string;
  /** Checkouts in which the work of tasks is tried before it is merged. */
  readonly trialsDir: string;
  trialDir(taskId: string): string;
  launchDir(taskId: string): string;
  /** A worktree for saved work that is brought back where its task has none any more. */
  restored(name: string): string;
  /** What the set-up commands of a worktree said when they last ran. */
  setupLog(workspace: string): string;
};

export function createPaths(home: string): Paths {
  const runDir = join(home, 'run');
  const workspacesDir = join(home, 'workspaces');
  const tasksDir = join(home, 'tasks');
  const projectTasksDir = (project: string): string => join(tasksDir, segment(project));
  const taskDir = (project: string, id: string): string =>
    join(projectTasksDir(project), segment(id));
  return {
    home,
    projectsFile: join(home, 'projects.json'),
    configFile: join(home, 'config.yaml'),
    goodConfigFile: join(runDir, 'config.good.yaml'),
    logFile: join(home, 'orange.log'),
    formatFile: join(home, '.format.json'),
    runDir,
    reservationsFile: join(home, 'reservations.jsonl'),
    leaseFile: join(runDir, 'leases.json'),
    daemonSocket: join(runDir, 'daemon.sock'),
    crashFile: join(runDir, 'daemon.crash'),
    tmuxSocket: join(runDir, 'tmux.sock'),
    lockFile: join(runDir, 'lock'),
    outboxDir: join(runDir, 'outbox'),
    removedDir: join(runDir, 'removed'),
    stillnessDir: join(runDir, 'stillness'),
    damagedIntentsDir: join(runDir, 'outbox-damaged'),
    replacedDir: join(runDir, 'replaced'),
    ownEditsDir: join(runDir, 'own-edits'),
    ownEditsFile: (taskId) => join(runDir, 'own-edits', `${segment(taskId)}.json`),
    copyOriginsDir: join(runDir, 'copy-origins'),
    copyOriginFile: (taskId) => join(runDir, 'copy-origins', `${segment(taskId)}.md`),
    ownWritesFile: (taskId) => join(runDir, 'own-edits', `${segment(taskId)}.writes.json`),
    initiativesDir: join(home, 'initiatives'),
    workspacesDir,
    poolFile: join(workspacesDir, '.pool.json'),
    tasksDir,
    workspace: (name) => join(workspacesDir, segment(name)),
    projectTasksDir,
    taskDir,
    taskDraft: (id) => join(tasksDir, `.${segment(id)}.new`),
    taskFile: (project, id) => join(taskDir(project, id), 'TASK.md'),
    historyFile: (project, id) => join(taskDir(project, id), 'history.jsonl'),
    transcriptsDir: (project, id) => join(taskDir(project, id), 'transcripts'),
    testResultsDir: (project, id) => join(taskDir(project, id), 'test-results'),
    artifactsDir: (project, id) => join(taskDir(project, id), 'artifacts'),
    commandsDir: join(runDir, 'commands'),
    trialsDir: join(runDir, 'trials'),
    trialDir: (taskId) => join(runDir, 'trials', segment(taskId)),
    launchDir: (taskId) => join(runDir, segment(taskId)),
    restored: (name) => join(home, 'restored', segment(name)),
    setupLog: (workspace) => join(runDir, 'setup-logs', `${segment(workspace)}.log`),
  };
}

/** ORANGE_HOME, or `orange` in the user's home directory. */
export function defaultHome(
  env: Readonly<Record<string, string | undefined>>,
  homedir: string,
): string {
  const chosen = env['ORANGE_HOME'];
  return chosen === undefined || chosen === '' ? join(homedir, 'orange') : chosen;
}

/** The settings file that a repository may carry. */
export function projectSettingsFile(repository: string): string {
  return join(repository, 'orange.yaml');
}

// Callers check names before they get here; a name that could leave its directory is a bug.
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
    throw new InternalError(`not a path segment: ${JSON.stringify(name)}`);
  }
  return name;
}
