import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Living processes (zombies are dead) with what the kernel says of each: no tmux, no orange. */
export function listProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

function readProcess(pid) {
  const stat = read(`/proc/${pid}/stat`);
  const state = stat?.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) ?? 'X';
  if (state === 'Z' || state === 'X') return null;
  const environ = read(`/proc/${pid}/environ`) ?? '';
  const command = (read(`/proc/${pid}/cmdline`) ?? '').split('\0').join(' ').trim();
  return { pid, state, environ: `\0${environ}`, command, cwd: link(`/proc/${pid}/cwd`) };
}

export function isAlive(pid) {
  return readProcess(pid) !== null;
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
