import { findProgram } from '../adapters/find-program.js';
import { DEMO_HARNESS } from '../domain/harness-names.js';
import { failed, success, type Result } from '../domain/result.js';
import { settingsFor } from '../engine/world-queries.js';
import type { DemoProgram } from '../harness/demo.js';
import type { Harness } from '../harness/harness.js';
import { harnessTable } from '../harness/harness-table.js';
import type { LiveWorld } from './live-world.js';

export type HarnessFinder = {
  find(project: string, name: string): Result<Harness>;
  /** Looks again which programs are on PATH. */
  refreshInstalled(): void;
};

/** Finds a project's harness by name, and keeps the world's list of installed ones. */
export function createHarnessFinder(parts: {
  readonly world: LiveWorld;
  readonly demo: DemoProgram;
  readonly path: string;
}): HarnessFinder {
  const { world, demo, path } = parts;
  return {
    find(project, name) {
      const table = harnessTable(settingsFor(world, project), demo);
      const harness = table.get(name);
      if (harness === undefined) {
        return failed({ kind: 'harness-unknown', harness: name, known: [...table.keys()] });
      }
      if (name !== DEMO_HARNESS && findProgram(harness.program, path) === null) {
        const { program } = harness;
        return failed({ kind: 'harness-not-installed', harness: name, program });
      }
      return success(harness);
    },
    refreshInstalled() {
      world.installedHarnesses.clear();
      const found = new Map<string, boolean>();
      const isFound = (program: string): boolean => {
        const known = found.get(program) ?? findProgram(program, path) !== null;
        found.set(program, known);
        return known;
      };
      // Projects without settings of their own share those of the user.
      for (const settings of new Set(world.settings.values())) {
        for (const [name, { program }] of harnessTable(settings, demo)) {
          if (name === DEMO_HARNESS || isFound(program)) world.installedHarnesses.add(name);
        }
      }
    },
  };
}
