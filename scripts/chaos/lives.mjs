import { Worker } from 'node:worker_threads';

const THREAD = new URL('death-watch-thread.mjs', import.meta.url);

/** Watches the lives of a home's agents for as long as the home is there. */
export class Lives {
  #worker;
  #failure = null;

  constructor({ home, chaos }) {
    this.#worker = new Worker(THREAD, { workerData: { home, chaos } });
    this.#worker.on('error', (error) => {
      this.#failure = error;
    });
    this.#worker.unref();
  }

  /** The false deaths and the second lives since it was last asked. */
  report() {
    return new Promise((resolve, reject) => {
      if (this.#failure !== null) return reject(this.#failure);
      this.#worker.once('error', reject);
      this.#worker.once('message', ({ violations }) => {
        this.#worker.off('error', reject);
        resolve(violations);
      });
      this.#worker.postMessage('report');
    });
  }

  async end() {
    await this.#worker.terminate();
  }
}
