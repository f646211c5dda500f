export type BoundRow = {
  readonly status: 'bound';
  readonly task: string;
  readonly task_id?: string;
};

/** One row of .pool.json. */
export type PoolRow = { readonly status: 'available' } | BoundRow;

/** .pool.json: worktree name to row. Quarantined worktrees are simply not listed. */
export type PoolFile = { readonly workspaces: Readonly<Record<string, PoolRow>> };

export function workspaceName(project: string, slot: number): string {
  return `${project}--${slot}`;
}

/** The slot number of a worktree of this project, or null when the name is not one of its own. */
export function slotOf(project: string, workspace: string): number | null {
  const prefix = `${project}--`;
  if (!workspace.startsWith(prefix)) return null;
  const digits = workspace.slice(prefix.length);
  return /^[1-9][0-9]{0,5}$/.test(digits) ? Number(digits) : null;
}
