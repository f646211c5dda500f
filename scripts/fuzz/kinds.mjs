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

// Long enough for every prefix of a handful of files, one after the other.
const PREFIX_SPAN = 900;

/** Every prefix of one valid file after the other: case n is the n-th beginning. */
function prefixInput(_random, { seed, index }) {
  const text = validTask(randomFrom(`${seed}:prefix:${Math.floor(index / PREFIX_SPAN)}`));
  return { text, length: Math.min(index % PREFIX_SPAN, text.length) };
}

/**
 * What is fuzzed: a share of all cases, an input from a seed, what must hold for it, and the one
 * reading whose time counts.
 */
export const KINDS = {
  'TASK.md': {
    share: 0.5,
    input: (random, { canary }) => taskInput(random, canary),
    judge: judgeTask,
    read: readTask,
  },
  'TASK.md, every prefix': {
    share: 0.1,
    input: prefixInput,
    judge: judgePrefix,
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
  // Beside the others: a tenth as many again.
  'pane capture': { share: 0.1, input: captureInput, judge: judgeCapture, read: readCapture },
};

/** The input of one case; the same for the same kind, seed and index. */
export function inputOf(kind, { seed, index, canary }) {
  return KINDS[kind].input(randomFrom(`${seed}:${kind}:${index}`), { seed, index, canary });
}
