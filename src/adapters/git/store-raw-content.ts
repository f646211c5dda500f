import type { Result } from '../../domain/result.js';
import { DONE, success } from '../../domain/result.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';

type Place = { readonly directory: string; readonly env: Readonly<Record<string, string>> };

/**
 * Replaces, in the index in use, the content of every file that differs from a commit by its exact
 * bytes, since adding may have converted line ends or sent the file through a filter.
 */
export async function storeRawContent(
  context: GitContext,
  place: Place,
  compareTo: string,
): Promise<Result<void>> {
  const changes = await context.git.list({
    ...place,
    argv: ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', compareTo, '--'],
  });
  if (!changes.ok) return changes;
  const changed = readRegularFiles(changes.value);
  if (changed.length === 0) return DONE;
  const hashed = await hashFiles(context, place, changed);
  if (!hashed.ok) return hashed;
  const lines = changed.map(({ mode, path }, index) => `${mode} ${hashed.value[index]}\t${path}\0`);
  return context.git.perform({
    ...place,
    argv: ['update-index', '-z', '--index-info'],
    input: lines.join(''),
  });
}

type ChangedFile = { readonly mode: string; readonly path: string };

function readRegularFiles(fields: readonly string[]): readonly ChangedFile[] {
  const files: ChangedFile[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const mode = (fields[index] ?? '').split(' ')[1] ?? '';
    const path = fields[index + 1] ?? '';
    // A name that is not UTF-8 cannot be handed back to git; its content stays as it was added.
    if (mode.startsWith('100') && !path.includes('\uFFFD')) files.push({ mode, path });
  }
  return files;
}

/** The ids that the exact bytes of files would have as blobs, which are stored. */
export async function hashFiles(
  context: GitContext,
  place: Place,
  files: readonly { readonly path: string }[],
): Promise<Result<readonly string[]>> {
  const paths = files.map(({ path }) => quoteForLine(path));
  const output = await context.git.text({
    ...place,
    argv: ['hash-object', '-w', '--no-filters', '--stdin-paths'],
    input: paths.map((path) => `${path}\n`).join(''),
    timeoutMs: CHECKOUT_TIMEOUT_MS,
  });
  return output.ok ? success(output.value.split('\n')) : output;
}

// git undoes this quoting for every line that begins with a quotation mark.
function quoteForLine(path: string): string {
  if (!/["\n\\]/.test(path)) return path;
  const escaped = path
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
  return `"${escaped}"`;
}
