import { kill, pid, stderr } from 'node:process';
import { IO_FAILPOINTS, STEP_FAILPOINTS, type FailpointName } from '../domain/failpoint-names.js';
import { failed, success, type Result } from '../domain/result.js';

type Fault =
  | { readonly kind: 'kill' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'throw'; readonly code: string }
  | { readonly kind: 'sleep'; readonly ms: number };

type Order = { readonly name: FailpointName; readonly nth: number; readonly fault: Fault };

/** Reads `name[@N]:kill | hang | throw:CODE | sleep:MS`, several separated by commas, and gives what to do. */
export function readFailpoints(text: string): Result<(name: FailpointName) => void> {
  const orders: Order[] = [];
  for (const part of text.split(',')) {
    const order = readOrder(part.trim());
    if (typeof order === 'string') return refuse(part.trim(), order);
    orders.push(order);
  }
  const reached = new Map<FailpointName, number>();
  return success((name) => {
    const count = (reached.get(name) ?? 0) + 1;
    reached.set(name, count);
    for (const order of orders) if (order.name === name && order.nth === count) inject(order);
  });
}

const ORDER =
  /^([a-z.-]+)(?:@([1-9][0-9]{0,5}))?:(kill|hang|throw:(E[A-Z0-9]+)|sleep:([0-9]{1,6}))$/;

/** The order, or why it is none. */
function readOrder(part: string): Order | string {
  const [whole, name = '', nth = '1', action, code, ms] = ORDER.exec(part) ?? [];
  if (whole === undefined)
    return 'written as name[@N]:kill, name:hang, name:throw:CODE or name:sleep:MS';
  if (!isFailpoint(name)) return 'a failpoint that exists';
  if (code !== undefined && !Object.hasOwn(IO_FAILPOINTS, name))
    return 'an I/O failpoint, if it is to throw';
  const order = { name, nth: Number(nth) };
  if (code !== undefined) return { ...order, fault: { kind: 'throw', code } };
  if (action === 'kill' || action === 'hang') return { ...order, fault: { kind: action } };
  return { ...order, fault: { kind: 'sleep', ms: Number(ms) } };
}

function isFailpoint(name: string): name is FailpointName {
  return Object.hasOwn(IO_FAILPOINTS, name) || Object.hasOwn(STEP_FAILPOINTS, name);
}

function inject({ name, fault }: Order): void {
  // Whoever asked for the fault learns from the last words which one it was.
  stderr.write(`failpoint ${name}: ${fault.kind}\n`);
  if (fault.kind === 'throw') {
    throw Object.assign(new Error(`${fault.code}: failpoint ${name}`), { code: fault.code });
  }
  if (fault.kind === 'kill') kill(pid, 'SIGKILL');
  if (fault.kind === 'hang') turnForEver();
  Atomics.wait(PAUSE, 0, 0, fault.kind === 'sleep' ? fault.ms : Infinity);
}

/** What a bug that hangs the daemon looks like. */
function turnForEver(): void {
  for (let turns = 0; turns >= 0; turns = (turns + 1) % 1000) continue;
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

function refuse(value: string, rule: string): Result<never> {
  return failed({
    kind: 'invalid-argument',
    argument: 'ORANGE_FAILPOINT',
    value,
    rule,
    remedy: 'take a name from src/domain/failpoint-names.ts',
  });
}
