import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// An agent that changes a line of its TASK.md a thousand times a second and leaves the rest of it as it
// is. Run as `node rewrite-without-end.mjs HOW`, in its worktree: `in-place` and `renamed` write the
// task's own file, `copy` puts a file in the place of the worktree's link. How often it has done so is
// in SAID/TASK.count.
const MS_EACH = 1;
const TELL_EVERY = 100;
const how = process.argv[2];
const { ORANGE_TASK_FILE, ORANGE_TASK_ID, SAID } = process.env;
const file = how === 'copy' ? 'TASK.md' : ORANGE_TASK_FILE;
const next = join(dirname(file), '.TASK.md.next');
const clock = new Int32Array(new SharedArrayBuffer(4));
const start = performance.now();

function rewrite(number) {
  const [text] = readFileSync(file, 'utf8').split('\n## Notes\n');
  const changed = `${text}\n## Notes\n\ncount: ${number}\n`;
  if (how === 'in-place') return writeFileSync(file, changed);
  writeFileSync(next, changed);
  renameSync(next, file);
}

// Never half written for who reads it.
function tell(number) {
  const path = join(SAID, `${ORANGE_TASK_ID}.count`);
  writeFileSync(`${path}.next`, `${number}`);
  renameSync(`${path}.next`, path);
}

for (let number = 1; ; number += 1) {
  rewrite(number);
  if (number % TELL_EVERY === 0) tell(number);
  // One that was held up catches up, so that it is as many in a second.
  const aheadMs = start + number * MS_EACH - performance.now();
  if (aheadMs > 0) Atomics.wait(clock, 0, 0, aheadMs);
}
