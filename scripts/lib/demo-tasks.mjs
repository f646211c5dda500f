/** The three stories that the demonstration tells; the demo agent plays what its Context says. */
const STORIES = [
  { branch: 'welcome-page', summary: 'Write a welcome page', plays: 'pass' },
  { branch: 'error-messages', summary: 'Make error messages kinder', plays: 'fail-once' },
  { branch: 'import-guide', summary: 'Describe the import of old files', plays: 'crash-once' },
];

const MEANING = {
  pass: 'passes its review at once',
  'fail-once': 'fails its first review and is mended',
  'crash-once': 'crashes once and is brought back',
};

/** Creates the three tasks and gives each with its id. */
export async function createDemoTasks(orange, onCreated) {
  const tasks = [];
  for (const { branch, summary, plays } of STORIES) {
    const context = `${summary}, in a few words.\n\ndemo: ${plays}`;
    const options = ['--harness', 'demo', '--review-harness', 'demo', '--context', context];
    const created = await orange.ask('task', 'create', branch, summary, ...options, '--json');
    const task = { id: JSON.parse(created).id, branch };
    onCreated(`${task.id}  ${branch}: ${MEANING[plays]}`);
    tasks.push(task);
  }
  return tasks;
}
