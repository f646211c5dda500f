import type { Command } from 'commander';
import { blockersOf } from '../../domain/extensions.js';
import { relateTasks } from '../../domain/task-relations.js';
import type { TaskView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { nameOf, nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { paint } from '../paint.js';
import { resolveTask } from '../resolve-name.js';
import { oneLine } from '../table.js';

/** A task in the tree of another; `status` is null when it does not exist. */
type Node = {
  readonly id: string;
  readonly status: string | null;
  /** Whether it stands further up already: the tasks wait for each other. */
  readonly cycle: boolean;
  readonly next: readonly Node[];
};

export function addTaskDepsCommand(parent: Command, run: Run): void {
  withJson(parent.command('deps'))
    .description('what a task waits for, and what waits for it')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .action((name: string | undefined, options: JsonOption) =>
      run(options, (context) => showDependencies(context, name)),
    );
}

export async function showDependencies(
  context: CommandContext,
  name: string | undefined,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const { tasks } = snapshot.value;
  const known = new Map(tasks.map((each) => [each.fields.id, each]));
  const relations = relateTasks(tasks);
  const { id } = task.value.fields;
  const up = growTree(known, (each) => blockersOf(known.get(each)?.extensions ?? {}));
  const down = growTree(known, (each) => relations(each).blocks);
  const value = { id, waits_for: up(id).next, blocks: down(id).next };
  context.output.result(value, () =>
    [
      nameTask(task.value),
      ...branches('waits for', value.waits_for, tasks),
      ...branches('blocks', value.blocks, tasks),
    ].join('\n'),
  );
  return ENDED_WELL;
}

/** The most tasks a tree shows: where many wait for many, it would have no end. */
const MOST_NODES = 1000;

function growTree(
  known: ReadonlyMap<string, TaskView>,
  follow: (id: string) => readonly string[],
): (id: string) => Node {
  let left = MOST_NODES;
  const grow = (id: string, above: readonly string[]): Node => {
    left -= 1;
    const cycle = above.includes(id);
    const below = cycle || left <= 0 ? [] : follow(id);
    return {
      id,
      status: known.get(id)?.fields.status ?? null,
      cycle,
      next: below.map((each) => grow(each, [...above, id])),
    };
  };
  return (id) => grow(id, []);
}

function branches(
  title: string,
  nodes: readonly Node[],
  tasks: readonly TaskView[],
): readonly string[] {
  if (nodes.length === 0) return [paint('dim', `  ${title} nothing`)];
  return [paint('dim', `  ${title}`), ...nodes.flatMap((node) => branchLines(node, tasks, 2))];
}

function branchLines(node: Node, tasks: readonly TaskView[], depth: number): readonly string[] {
  const status = node.cycle ? 'a cycle' : (node.status ?? 'does not exist');
  const line = `${'  '.repeat(depth)}${oneLine(nameOf(node.id, tasks))} (${status})`;
  return [line, ...node.next.flatMap((next) => branchLines(next, tasks, depth + 1))];
}
