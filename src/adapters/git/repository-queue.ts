/** Runs steps with the same key one after the other; steps of different keys side by side. */
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
