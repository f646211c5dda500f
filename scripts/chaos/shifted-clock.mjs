// Loaded into a daemon before it starts: its wall clock is as far off as a file says. Monotonic time
// goes on as it is, as when somebody sets the clock of a machine.
import { readFileSync } from 'node:fs';

const file = process.env.CHAOS_CLOCK;
const RealDate = Date;
let offsetMs = 0;

function read() {
  offsetMs = Number(readFileSync(file, 'utf8'));
}

if (file !== undefined) {
  // Only this process: agents and git have the clock of the machine.
  delete process.env.NODE_OPTIONS;
  delete process.env.CHAOS_CLOCK;
  read();
  setInterval(read, 50).unref();
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(RealDate.now() + offsetMs);
      else super(...parts);
    }
    static now() {
      return RealDate.now() + offsetMs;
    }
  };
}
