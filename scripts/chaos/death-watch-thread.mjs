// A thread of its own, so that what the harness does meanwhile does not keep it from looking.
import { parentPort, workerData } from 'node:worker_threads';
import { DeathWatch } from './oracle/death-watch.mjs';
import { SingleWatch } from './oracle/single-watch.mjs';

const LOOK_MS = 20;
const watch = new DeathWatch(workerData);
const single = new SingleWatch(workerData);
const look = () => {
  watch.look();
  single.look();
};

const timer = setInterval(look, LOOK_MS);
parentPort.on('message', (word) => {
  if (word === 'end') {
    clearInterval(timer);
    parentPort.close();
    return;
  }
  look();
  const { counts } = watch;
  const violations = [watch, single].flatMap((each) => each.violations.splice(0));
  parentPort.postMessage({ violations, counts });
});
