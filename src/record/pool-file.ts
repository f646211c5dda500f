import type { JsonValue } from '../domain/json.js';
import type { PoolFile, PoolRow } from '../domain/pool.js';
import { success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import { createJsonFile, parseJsonFile, type JsonFile, type ShapeReport } from './json-file.js';
import { isJsonMap, type JsonNode } from './read-json.js';

const WORKSPACE = /^[A-Za-z0-9_][A-Za-z0-9._-]*--[1-9][0-9]{0,5}$/;

/** Reads .pool.json; keys of a row that orange does not know stay on its value. */
export function parsePool(text: string, file: string): Result<PoolFile> {
  return parseJsonFile(text, file, (root, report) => {
    const workspaces = root.kind === 'map' ? root.entries.get('workspaces') : undefined;
    if (workspaces?.kind !== 'map') {
      report(root, '`workspaces` is missing or not an object', 'run: orange workspace list');
      return { workspaces: {} };
    }
    for (const [name, row] of workspaces.entries) {
      if (!WORKSPACE.test(name)) {
        report(row, `${JSON.stringify(name)} is not a worktree's name`, 'use <project>--<n>');
      }
      checkRow(row, report);
    }
    const rows = Object.entries(workspaces.value ?? {}).flatMap(([name, row]) =>
      isRow(row) ? [[name, row] as const] : [],
    );
    return { ...(isJsonMap(root.value) ? root.value : {}), workspaces: Object.fromEntries(rows) };
  });
}

export function formatPool(pool: PoolFile): string {
  const rows = Object.entries(pool.workspaces).map(([name, row]) => [name, formatRow(row)]);
  return `${JSON.stringify({ ...pool, workspaces: Object.fromEntries(rows) }, null, 2)}\n`;
}

export type PoolFileStore = JsonFile<PoolFile> & {
  /** Replaces the file even if it is damaged; what was there is kept beside it. */
  rebuild(pool: PoolFile): Result<{ readonly kept: string | null }>;
};

export function createPoolFile(files: Files, path: string): PoolFileStore {
  const file = createJsonFile<PoolFile>(files, path, {
    parse: parsePool,
    format: formatPool,
    whenAbsent: { workspaces: {} },
  });
  const rebuild = (pool: PoolFile): Result<{ readonly kept: string | null }> => {
    const kept = file.read().ok ? success(null) : keepDamaged(files, path);
    if (!kept.ok) return kept;
    const written = files.replace(path, formatPool(pool));
    return written.ok ? success({ kept: kept.value }) : written;
  };
  return { ...file, rebuild };
}

const MAX_DAMAGED_BYTES = 64 * 1024 * 1024;

function keepDamaged(files: Files, path: string): Result<string | null> {
  const damaged = files.readText(path, MAX_DAMAGED_BYTES, 'lossy');
  // A link or a pipe holds nothing of ours: the replacement simply takes its place.
  if (!damaged.ok) return success(null);
  const kept = `${path}.damaged`;
  const copy = files.replace(kept, damaged.value.text);
  return copy.ok ? success(kept) : copy;
}

function isRow(row: JsonValue): row is JsonValue & PoolRow {
  return isJsonMap(row) && (row['status'] === 'available' || typeof row['task'] === 'string');
}

function checkRow(row: JsonNode, report: ShapeReport): void {
  if (row.kind !== 'map') {
    report(row, 'a worktree is not an object', 'write { "status": "available" }');
    return;
  }
  const status = row.entries.get('status')?.value;
  const task = row.entries.get('task')?.value;
  if (status !== 'bound' && status !== 'available') {
    report(row, 'status is neither bound nor available', 'write "bound" or "available"');
  } else if (status === 'bound' && (typeof task !== 'string' || task === '')) {
    report(row, 'a bound worktree has no task', 'add "task": "<project>/<branch>"');
  } else if (status === 'available' && task !== undefined) {
    report(row, 'an available worktree has a task', 'remove "task", or write "bound"');
  }
}

// An available row carries no task, whatever it carried while it was bound.
function formatRow(row: PoolRow): JsonValue {
  const { status, task, task_id, ...rest } = { task: undefined, task_id: undefined, ...row };
  if (status === 'available') return { status, ...rest };
  return {
    status,
    ...(task === undefined ? {} : { task }),
    ...(task_id === undefined ? {} : { task_id }),
    ...rest,
  };
}
