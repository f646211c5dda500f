/** The tmux session name of a task: the seed's `<project>/<branch>` in characters tmux leaves alone. */
export function sessionName(input: {
  readonly project: string;
  readonly branch: string;
  readonly taskId: string;
  readonly taken: ReadonlySet<string>;
}): string {
  const plain = `${input.project}/${input.branch}`.replace(/[^A-Za-z0-9/_-]/g, '_').slice(0, 120);
  const name = plain.replace(/^[^A-Za-z0-9_]/, '_');
  return input.taken.has(name) ? `${name}-${input.taskId.slice(0, 6)}` : name;
}
