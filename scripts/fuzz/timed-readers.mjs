import { cpuUsage } from 'node:process';

const known = new WeakMap();

/** Milliseconds on the wall, and of this process's own work: others on the machine add none to those. */
const CLOCKS = {
  wall: () => performance.now(),
  processor: () => {
    const { user, system } = cpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * The same parts of the product, each of whose calls is timed by itself: `during` gives, by name, how
 * long the slowest call of each took while some work was done, by one of the clocks.
 */
export function timedReaders(readers) {
  if (!known.has(readers)) known.set(readers, wrapAll(readers));
  return known.get(readers);
}

function wrapAll(parts) {
  let slowest = new Map();
  let now = CLOCKS.wall;
  const timed = (name, work) => {
    const start = now();
    try {
      return work();
    } finally {
      slowest.set(name, Math.max(slowest.get(name) ?? 0, now() - start));
    }
  };
  const entries = Object.entries(parts).map(([name, part]) => [
    name,
    isPlainFunction(part) ? wrapFunction(name, part, timed) : part,
  ]);
  const readers = Object.fromEntries(entries);
  const during = (clock, work) => {
    now = CLOCKS[clock];
    slowest = new Map();
    work(readers, timed);
    return slowest;
  };
  return { during };
}

function wrapFunction(name, part, timed) {
  return (...args) => {
    const result = timed(name, () => part(...args));
    return name.startsWith('create') ? wrapObject(name, result, timed) : result;
  };
}

/** What was made does its work later, so its methods are timed too. */
function wrapObject(name, object, timed) {
  return new Proxy(object, {
    get: (target, key) => {
      const part = target[key];
      if (typeof part !== 'function') return part;
      return wrapFunction(`${name}().${String(key)}`, part.bind(target), timed);
    },
  });
}

function isPlainFunction(part) {
  return typeof part === 'function' && !/^class\b/.test(Function.prototype.toString.call(part));
}
