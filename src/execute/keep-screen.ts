import { dirname } from 'node:path';
import type { Effect } from '../domain/effect.js';
import type { Execution } from './execution.js';

/** Stores the last screen of an agent under the name that the history gave it. */
export async function keepScreen(
  execution: Pick<Execution, 'findTask' | 'transcriptFile' | 'files' | 'launches' | 'log'>,
  effect: Extract<Effect, { kind: 'keep-screen' }>,
): Promise<null> {
  const { taskId, window, transcript } = effect;
  const task = execution.findTask(taskId);
  if (task === null) return null;
  const path = execution.transcriptFile(task.fields.project, taskId, transcript);
  const state = execution.files.stat(path);
  // Told a second time, when the screen may be that of a later agent.
  if (state.ok && state.value.kind === 'file') return null;
  const lines = await execution.launches.screen(taskId, window);
  const text = lines === null ? NO_SCREEN : lines.join('\n');
  const made = execution.files.makeDirectory(dirname(path));
  const kept = made.ok ? execution.files.replace(path, `${text}\n`) : made;
  if (!kept.ok) {
    const failure = kept.failure.kind;
    execution.log.write({ event: 'screen.not-kept', level: 'warn', task: taskId, window, failure });
  }
  return null;
}

const NO_SCREEN = '(the terminal was gone before its screen could be read)';
