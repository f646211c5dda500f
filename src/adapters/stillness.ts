import { Worker } from 'node:worker_threads';
import type { Stillness } from '../ports.js';

/** What the watching thread is given. */
export type StillnessOrder = { readonly notes: string };

export type StillnessQuestion = {
  readonly id: number;
  readonly ask: 'watch' | 'watch-more' | 'is-still' | 'take';
  readonly top: string;
  readonly directories: readonly string[];
};

export type StillnessAnswer = {
  readonly id: number;
  readonly others: readonly string[] | null;
  readonly isStill: boolean;
};

const ANSWER_LIMIT_MS = 1000;
const NO_ANSWER = { others: null, isStill: false };

/**
 * Watches trees in a thread of its own, which is started when the first one is given. A thread that
 * fails or does not answer has seen nothing, so that nothing is taken for still.
 */
export function createStillness(
  program: string,
  order: StillnessOrder,
  onFailed: (reason: string) => void,
): Stillness {
  const awaited = new Map<number, (answer: Omit<StillnessAnswer, 'id'>) => void>();
  let thread: Worker | null = null;
  let asked = 0;
  const open = (): Worker => {
    const opened = new Worker(program, {
      workerData: order,
      env: {},
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64, stackSizeMb: 1 },
    });
    opened.unref();
    const lose = (reason: string): void => {
      if (thread !== opened) return;
      thread = null;
      onFailed(reason);
      for (const answer of awaited.values()) answer(NO_ANSWER);
    };
    opened.on('error', (error) => lose(error instanceof Error ? error.message : String(error)));
    opened.on('exit', (code) => lose(`ended with ${code}`));
    opened.on('message', (said: StillnessAnswer) => awaited.get(said.id)?.(said));
    return opened;
  };
  const ask = async (
    question: Omit<StillnessQuestion, 'id'>,
  ): Promise<Omit<StillnessAnswer, 'id'>> => {
    asked += 1;
    const id = asked;
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<Omit<StillnessAnswer, 'id'>>((resolve) => {
      awaited.set(id, resolve);
      timer = setTimeout(() => resolve(NO_ANSWER), ANSWER_LIMIT_MS);
    });
    thread?.postMessage({ id, ...question });
    const said = await answer;
    clearTimeout(timer);
    awaited.delete(id);
    return said;
  };

  return {
    watch: async (top, directories) => {
      thread ??= open();
      return (await ask({ ask: 'watch', top, directories })).others;
    },
    watchMore: async (top, directories) =>
      thread === null ? null : (await ask({ ask: 'watch-more', top, directories })).others,
    isStill: async (top) =>
      thread !== null && (await ask({ ask: 'is-still', top, directories: [] })).isStill,
    take: async (top) =>
      thread !== null && (await ask({ ask: 'take', top, directories: [] })).isStill,
    forget: (top) => {
      thread?.postMessage({ id: 0, ask: 'take', top, directories: [] });
    },
  };
}
