import { DEMO_HARNESS } from '../domain/harness-names.js';
import type { HarnessSettings } from '../domain/settings.js';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { customHarness, harnessWithoutCommand } from './custom-harness.js';
import { demoHarness, type DemoProgram } from './demo.js';
import { gemini } from './gemini.js';
import type { Harness } from './harness.js';
import { opencode } from './opencode.js';
import { pi } from './pi.js';

export type HarnessTable = ReadonlyMap<string, Harness>;

/** The built-in harnesses, changed and extended by the user's settings. */
export function harnessTable(
  settings: { readonly harnesses: Readonly<Record<string, HarnessSettings>> },
  demo: DemoProgram,
): HarnessTable {
  const builtIns = [claude, codex, opencode, pi, gemini, demoHarness(demo)];
  const table = new Map(builtIns.map((harness) => [harness.name, harness]));
  for (const [name, change] of Object.entries(settings.harnesses)) {
    table.set(name, customHarness(change, table.get(name) ?? harnessWithoutCommand(name)));
  }
  return table;
}

export type FirstInstalled = {
  /** The harness to use, or null when none of the order is installed. */
  readonly name: string | null;
  /** Names looked for, in order, up to and including the one found. */
  readonly tried: readonly string[];
  /** Names in the order that no harness has: worth telling the user. */
  readonly unknown: readonly string[];
};

/** The first installed harness of the user's order. The demo agent is never picked. */
export function firstInstalled(input: {
  readonly order: readonly string[];
  readonly table: HarnessTable;
  readonly isInstalled: (program: string) => boolean;
}): FirstInstalled {
  const tried: string[] = [];
  const unknown = input.order.filter((name) => !input.table.has(name));
  for (const name of input.order) {
    const harness = input.table.get(name);
    if (harness === undefined || name === DEMO_HARNESS) continue;
    tried.push(name);
    if (input.isInstalled(harness.program)) return { name, tried, unknown };
  }
  return { name: null, tried, unknown };
}
