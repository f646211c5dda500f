import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Living processes (zombies are dead) with what the kernel says of each: no tmux, no orange. */
export function listProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

function readProcess(pid) {
  const stat = readStat(read(`/proc/${pid}/stat`) ?? '');
  if (stat === null || isDead(stat)) return null;
  return {
    pid,
    environ: `\0${read(`/proc/${pid}/environ`) ?? ''}`,
    // Asked for of few, and each is one more file to read.
    get command() {
      return (read(`/proc/${pid}/cmdline`) ?? '').split('\0').join(' ').trim();
    },
    get cwd() {
      return link(`/proc/${pid}/cwd`);
    },
  };
}

/** What a line of the kernel's says of a process: what tells it from any other, and who is above it. */
export function readStat(line) {
  const match = /^(\d+) \(.*\) ([A-Za-z]) (.*)$/s.exec(line.trim());
  if (match === null) return null;
  const rest = match[3].split(' ');
  const [parent, , session] = rest.map(Number);
  const start = rest[START_FIELD - PARENT_FIELD];
  return start === undefined
    ? null
    : { pid: Number(match[1]), state: match[2], parent, session, start };
}

// As the manual counts them.
const PARENT_FIELD = 4;
const START_FIELD = 22;

/** Whether that very process still lives. */
export function isStill({ pid, start }) {
  const now = readStat(read(`/proc/${pid}/stat`) ?? '');
  return now !== null && now.start === start && !isDead(now);
}

// A zombie is dead; it only waits for somebody to take note.
function isDead({ state }) {
  return state === 'Z' || state === 'X';
}

export function isAlive(pid) {
  const now = readStat(read(`/proc/${pid}/stat`) ?? '');
  return now !== null && !isDead(now);
}

/** The value of a variable in a process's environment, or null. */
export function variable({ environ }, name) {
  const start = environ.indexOf(`\0${name}=`);
  if (start === -1) return null;
  const from = start + name.length + 2;
  return environ.slice(from, environ.indexOf('\0', from));
}

/** Everything that was started for one place, by its folder in the environment or on the command line. */
export function processesOf(root) {
  return listProcesses().filter(
    (each) =>
      each.pid !== process.pid &&
      (each.environ.includes(`=${root}/`) || each.command.includes(`${root}/`)),
  );
}

export function endProcess(pid, signal = 'SIGKILL') {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

function link(path) {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
