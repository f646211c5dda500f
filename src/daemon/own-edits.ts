import type { TaskRecord } from '../domain/task.js';
import type { Files } from '../ports.js';
import { mergeBodies, putBackWords, type MergedBody } from '../record/merge-bodies.js';
import type { Paths } from '../record/paths.js';

/** One change that orange itself made to a task's body. */
type OwnEdit = {
  readonly updatedAt: string;
  /** Whether the words were orange's (or a person's through it), or an agent's that came late. */
  readonly words: 'own' | 'late';
  readonly before: string;
  readonly after: string;
};

type Parts = { readonly files: Files; readonly paths: Paths };

const MAX_EDITS = 16;
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Remembers what orange wrote into bodies. An agent that saves what it read before that takes orange's
 * words out again without knowing; they are put back from here. Agents outlive the daemon, so it is
 * kept for the next one; no agent outlives the machine.
 */
export class OwnEdits {
  readonly #parts: Parts;
  readonly #edits = new Map<string, readonly OwnEdit[]>();

  constructor({ files, paths }: Parts) {
    this.#parts = { files, paths };
  }

  note(taskId: string, edit: OwnEdit): void {
    if (edit.before === edit.after) return;
    // A body that was cut out of a file's text would keep all of it in memory.
    const kept = structuredClone(edit);
    const edits = [...this.#known(taskId), kept].slice(-MAX_EDITS);
    this.#edits.set(taskId, edits);
    this.#store(taskId, edits);
  }

  /**
   * A file's body with every own edit that is younger than the copy it was made from. Where nobody
   * knows how old that is, what orange itself wrote and the file lacks is put back.
   */
  reapply(taskId: string, current: TaskRecord, age: 'known' | 'unknown' = 'known'): MergedBody {
    const edits = this.#known(taskId);
    const unchanged: MergedBody = { body: current.body, conflicts: [] };
    if (age === 'unknown') {
      const last = edits.at(-1)?.after ?? '';
      const own = edits.filter(({ words }) => words === 'own');
      return own.reduce((sofar, edit) => {
        return joined(sofar, putBackWords({ ...edit, last }, sofar.body));
      }, unchanged);
    }
    const missing = edits.filter(({ updatedAt }) => updatedAt > current.fields.updated_at);
    return missing.reduce((sofar, { before, after, words }) => {
      // Against orange's own words a copy's stand back; against its writer's older ones they do not.
      const [ours, theirs] = words === 'own' ? [after, sofar.body] : [sofar.body, after];
      return joined(sofar, mergeBodies(before, ours, theirs));
    }, unchanged);
  }

  forget(taskId: string): void {
    const { files, paths } = this.#parts;
    this.#edits.delete(taskId);
    files.remove(paths.ownEditsFile(taskId));
    files.remove(paths.ownWritesFile(taskId));
  }

  #known(taskId: string): readonly OwnEdit[] {
    const known = this.#edits.get(taskId);
    if (known !== undefined) return known;
    const { files, paths } = this.#parts;
    const read = files.readText(paths.ownEditsFile(taskId), MAX_BYTES);
    const edits = read.ok ? parseEdits(read.value.text) : [];
    const isAbsent =
      !read.ok && read.failure.kind === 'io-failed' && read.failure.code === 'ENOENT';
    // What the machine does not let anybody read now may be read the next time.
    if (read.ok || isAbsent) this.#edits.set(taskId, edits);
    return edits;
  }

  /** Where it cannot be kept it is still known for as long as this daemon runs. */
  #store(taskId: string, edits: readonly OwnEdit[]): void {
    const { files, paths } = this.#parts;
    const texts = edits.map((edit) => JSON.stringify(edit));
    while (texts.length > 0 && Buffer.byteLength(texts.join()) > MAX_BYTES - 2) texts.shift();
    const made = files.makeDirectory(paths.ownEditsDir, 'until-reboot');
    if (made.ok) files.replace(paths.ownEditsFile(taskId), `[${texts.join()}]`, 'until-reboot');
  }
}

function joined(sofar: MergedBody, { body, conflicts }: MergedBody): MergedBody {
  return { body, conflicts: [...sofar.conflicts, ...conflicts] };
}

/** A file that a crash of the machine has left damaged says nothing; neither does any agent then. */
function parseEdits(text: string): readonly OwnEdit[] {
  try {
    const edits: unknown = JSON.parse(text);
    return Array.isArray(edits) && edits.every(isOwnEdit) ? edits : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isOwnEdit(value: unknown): value is OwnEdit {
  if (typeof value !== 'object' || value === null) return false;
  const texts = ['updatedAt', 'before', 'after'].map((name): unknown => Reflect.get(value, name));
  const words: unknown = Reflect.get(value, 'words');
  return texts.every((each) => typeof each === 'string') && (words === 'own' || words === 'late');
}
