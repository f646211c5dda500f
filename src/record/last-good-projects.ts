import { join } from 'node:path';
import type { Project } from '../domain/project.js';
import type { Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import type { Paths } from './paths.js';
import { createProjectsFile, formatProjects } from './projects-file.js';

/** projects.json as it last was valid: what counts while a hand's mistake is in it. */
export type LastGoodProjects = {
  /** Null when nothing is kept, or it cannot be read. */
  read(): readonly Project[] | null;
  keep(projects: readonly Project[]): Result<void>;
};

export function lastGoodProjects(files: Files, paths: Paths): LastGoodProjects {
  const path = join(paths.runDir, 'projects.good.json');
  return {
    read: () => {
      const state = files.stat(path);
      if (!state.ok || state.value.kind !== 'file') return null;
      const read = createProjectsFile(files, path).read();
      return read.ok ? read.value : null;
    },
    keep: (projects) => {
      const written = files.replace(path, formatProjects(projects));
      return written.ok ? { ok: true, value: undefined } : written;
    },
  };
}
