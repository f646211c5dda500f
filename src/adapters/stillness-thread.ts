import { parentPort, workerData } from 'node:worker_threads';
import { StillTrees } from './still-trees.js';
import type { StillnessAnswer, StillnessOrder, StillnessQuestion } from './stillness.js';

// This file is the program of the thread that watches over idle worktrees.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const { notes } = workerData as StillnessOrder;
const trees = new StillTrees(notes);

parentPort?.on('message', (question: StillnessQuestion) => {
  void answer(question).then((said) => parentPort?.postMessage(said));
});

async function answer({ id, ask, top, directories }: StillnessQuestion): Promise<StillnessAnswer> {
  switch (ask) {
    case 'watch':
      return { id, others: trees.watch(top, directories), isStill: false };
    case 'watch-more':
      return { id, others: trees.watchMore(top, directories), isStill: false };
    case 'is-still':
      return { id, others: null, isStill: await trees.isStill(top) };
    case 'take':
      return { id, others: null, isStill: await trees.take(top) };
  }
}
