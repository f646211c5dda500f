import { constants, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { closeQuietly, ignoringErrno } from './disk-steps.js';
import { runCommand } from './run-command.js';

/** The launcher of one window, waiting for its order. */
type Gate = {
  readonly launchId: string;
  readonly path: string;
  readonly descriptor: number;
};

/**
 * Named pipes at which launchers wait whose windows were opened ahead of their orders. The daemon
 * holds the other end: when it dies, a launcher that waits reads nothing and goes. A pipe takes a
 * program to make, so that one is kept in store.
 */
export class LaunchGates {
  readonly #spare: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #gates = new Map<string, Gate>();
  #isStocked = false;
  #isStocking = false;

  constructor(runDir: string, env: Readonly<Record<string, string>>) {
    this.#spare = `${runDir}/spare.gate`;
    this.#env = env;
  }

  /** Puts a gate where the launcher will look for it; false when there is none in store. */
  build(taskId: string, launchId: string, path: string): boolean {
    this.drop(taskId);
    if (!this.#isStocked) return false;
    this.#isStocked = false;
    try {
      renameSync(this.#spare, path);
    } catch {
      // It has gone with its folder: the window is opened when its order is there, as ever.
      return false;
    }
    return this.adopt(taskId, launchId, path);
  }

  /** Takes over a gate that is there, perhaps from a daemon that died; false when there is none. */
  adopt(taskId: string, launchId: string, path: string): boolean {
    if (!isPipe(path)) return false;
    try {
      // For reading too, so that this end can be opened first.
      const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      this.#gates.set(taskId, { launchId, path, descriptor });
      return true;
    } catch {
      // No descriptor is left.
      return false;
    }
  }

  has(taskId: string, launchId: string): boolean {
    return this.#gates.get(taskId)?.launchId === launchId;
  }

  /** Lets the launcher in. */
  open(taskId: string): void {
    const gate = this.#gates.get(taskId);
    if (gate !== undefined) writeSync(gate.descriptor, '\n');
  }

  /** Takes the gate away; a launcher that still waits at it goes. */
  drop(taskId: string): void {
    const gate = this.#gates.get(taskId);
    if (gate === undefined) return;
    this.#gates.delete(taskId);
    closeQuietly(gate.descriptor);
    clearPlace(gate.path);
  }

  /** Sees to it that there is a gate in store. */
  async stock(): Promise<void> {
    if (this.#isStocked || this.#isStocking) return;
    this.#isStocking = true;
    clearPlace(this.#spare);
    const made = await runCommand({
      program: 'mkfifo',
      argv: ['-m', '600', this.#spare],
      env: this.#env,
      timeoutMs: MAKE_LIMIT_MS,
    });
    this.#isStocking = false;
    // Where none can be made, windows are opened with their orders.
    this.#isStocked = made.ok && made.value.exitCode === 0 && isPipe(this.#spare);
  }
}

const MAKE_LIMIT_MS = 5000;

/** Whatever is there goes; where it cannot, no gate is built. */
function clearPlace(path: string): void {
  ignoringErrno(() => rmSync(path, { force: true, recursive: true }));
}

function isPipe(path: string): boolean {
  let isFound = false;
  ignoringErrno(() => {
    isFound = lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  });
  return isFound;
}
