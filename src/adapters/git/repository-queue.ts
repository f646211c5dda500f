/** Runs steps with the same key one, or a few, at a time, in order; steps of different keys side by side. */
export interface RepositoryQueue {
  run<T>(key: string, step: () => Promise<T>): Promise<T>;
}

export function createRepositoryQueue(): RepositoryQueue {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(key, step) {
      const before = tails.get(key) ?? Promise.resolve();
      // A step that threw must not stop the ones behind it.
      const mine = before.then(step, step);
      tails.set(key, mine);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === mine) tails.delete(key);
      }
    },
  };
}

/** A queue in which as many steps with the same key run side by side as the width says. */
export function createWideQueue(width: number): RepositoryQueue {
  const lines = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return {
    async run(key, step) {
      const line = lines.get(key) ?? { running: 0, waiting: [] };
      lines.set(key, line);
      if (line.running < width) line.running += 1;
      else await new Promise<void>((resolve) => line.waiting.push(resolve));
      try {
        return await step();
      } finally {
        // Whoever waits takes this place over, so that nobody who comes just now gets in before.
        const next = line.waiting.shift();
        if (next === undefined) line.running -= 1;
        else next();
        if (line.running === 0) lines.delete(key);
      }
    },
  };
}
