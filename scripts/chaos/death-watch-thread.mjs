// A thread of its own, so that what the harness does meanwhile does not keep it from looking.
import { parentPort, workerData } from 'node:worker_threads';
import { DeathWatch } from './oracle/death-watch.mjs';

const LOOK_MS = 20;
const watch = new DeathWatch(workerData);

const timer = setInterval(() => watch.look(), LOOK_MS);
parentPort.on('message', (word) => {
  if (word === 'end') {
    clearInterval(timer);
    parentPort.close();
    return;
  }
  watch.look();
  const { counts } = watch;
  parentPort.postMessage({ violations: watch.violations.splice(0), counts });
});
