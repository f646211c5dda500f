import { randomFrom } from '../chaos/random.mjs';
import {
  captureInput,
  historyInput,
  outboxInput,
  poolInput,
  projectsInput,
  settingsInput,
  socketInput,
  taskInput,
  validTask,
} from './inputs.mjs';
import { judgeCapture, readCapture } from './judge-capture.mjs';
import {
  judgeHistory,
  judgeOutbox,
  judgePool,
  judgeProjects,
  judgeSettings,
  judgeSocket,
  readHistory,
  readSettings,
  readSocket,
} from './judge-files.mjs';
import { judgePrefix, judgeTask, readTask } from './judge-task.mjs';

/** Every beginning of one valid file after the other, the empty one and the whole file among them. */
function prefixInput(_random, { seed, index }) {
  let before = 0;
  for (let file = 0; ; file += 1) {
    const text = validTask(randomFrom(`${seed}:prefix:${file}`));
    if (index - before <= text.length) return { text, length: index - before };
    before += text.length + 1;
  }
}

/**
 * What is fuzzed: how many cases for each that is asked for (those of TASK.md are all that are asked
 * for, the others come beside them), an input from a seed, what must hold for it, and the one
 * reading whose time counts.
 */
export const KINDS = {
  'TASK.md': {
    share: 0.8,
    input: (random, { canary }) => taskInput(random, canary),
    judge: judgeTask,
    mayMove: true,
    read: readTask,
  },
  'TASK.md, every prefix': {
    share: 0.2,
    input: prefixInput,
    judge: judgePrefix,
    mayMove: true,
    read: (readers, { text, length }) => readTask(readers, text.slice(0, length)),
  },
  'history.jsonl': { share: 0.1, input: historyInput, judge: judgeHistory, read: readHistory },
  '.pool.json': {
    share: 0.06,
    input: poolInput,
    judge: judgePool,
    read: ({ parsePool }, text) => parsePool(text, 'file'),
  },
  'projects.json': {
    share: 0.06,
    input: projectsInput,
    judge: judgeProjects,
    read: ({ parseProjects }, text) => parseProjects(text, 'file'),
  },
  'config.yaml': { share: 0.08, input: settingsInput, judge: judgeSettings, read: readSettings },
  outbox: { share: 0.05, input: outboxInput, judge: judgeOutbox, read: judgeOutbox },
  socket: { share: 0.05, input: socketInput, judge: judgeSocket, read: readSocket },
  'pane capture': { share: 0.1, input: captureInput, judge: judgeCapture, read: readCapture },
};

/** The input of one case; the same for the same kind, seed and index. */
export function inputOf(kind, { seed, index, canary }) {
  return KINDS[kind].input(randomFrom(`${seed}:${kind}:${index}`), { seed, index, canary });
}
