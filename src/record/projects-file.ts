import { isAbsolute } from 'node:path';
import type { JsonValue } from '../domain/json.js';
import type { Project } from '../domain/project.js';
import type { Result } from '../domain/result.js';
import { isProjectName } from '../domain/task-id.js';
import type { Files } from '../ports.js';
import { createJsonFile, parseJsonFile, type JsonFile, type ShapeReport } from './json-file.js';
import { isJsonMap, type JsonNode } from './read-json.js';

const SEED_KEYS = ['name', 'path', 'default_branch', 'pool_size'] as const;

/** Reads projects.json; keys of an entry that orange does not know stay on its value. */
export function parseProjects(text: string, file: string): Result<readonly Project[]> {
  return parseJsonFile(text, file, (root, report) => {
    if (root.kind !== 'list') {
      report(root, 'projects.json is not a list', 'wrap the entries in [ ]');
      return [];
    }
    const projects = root.items.map((item) => readProject(item, report));
    const seen = new Set<string>();
    for (const [index, { name }] of projects.entries()) {
      const item = root.items[index];
      if (item !== undefined && seen.has(name)) {
        report(item, `the project ${JSON.stringify(name)} stands twice`, 'remove or rename one');
      }
      seen.add(name);
    }
    return projects;
  });
}

/** The seed's shape: its four keys first, further ones behind them. */
export function formatProjects(projects: readonly Project[]): string {
  const rows = projects.map((project) => {
    const { name, path, default_branch, pool_size, ...rest } = project;
    return { name, path, default_branch, pool_size, ...rest };
  });
  return `${JSON.stringify(rows, null, 2)}\n`;
}

export function createProjectsFile(files: Files, path: string): JsonFile<readonly Project[]> {
  return createJsonFile<readonly Project[]>(files, path, {
    parse: parseProjects,
    format: formatProjects,
    whenAbsent: [],
  });
}

function readProject(node: JsonNode, report: ShapeReport): Project {
  if (node.kind !== 'map') {
    report(node, 'an entry is not an object', `write { ${SEED_KEYS.join(', ')} }`);
    return NO_PROJECT;
  }
  for (const key of SEED_KEYS) {
    const entry = node.entries.get(key);
    const [isValid, fix] = RULES[key];
    if (entry === undefined) report(node, `${key} is missing`, fix);
    else if (!isValid(entry.value)) report(entry, `${key} is not valid`, fix);
  }
  const trusted = node.entries.get('trusted');
  if (trusted !== undefined && typeof trusted.value !== 'string') {
    report(trusted, 'trusted is not a text', 'remove the key and run: orange project trust');
  }
  return isProject(node.value) ? node.value : NO_PROJECT;
}

function isProject(value: JsonValue): value is JsonValue & Project {
  return isJsonMap(value) && SEED_KEYS.every((key) => RULES[key][0](value[key] ?? null));
}

const NO_PROJECT: Project = { name: '', path: '', default_branch: '', pool_size: 0 };

const RULES: Readonly<
  Record<(typeof SEED_KEYS)[number], readonly [(value: JsonValue) => boolean, string]>
> = {
  name: [
    (value) => typeof value === 'string' && isProjectName(value),
    'give a name of letters, digits, `.`, `_` and `-`',
  ],
  path: [
    (value) => typeof value === 'string' && isAbsolute(value),
    'give the absolute path of the repository',
  ],
  default_branch: [
    (value) => typeof value === 'string' && value !== '',
    'give the branch that tasks start from, e.g. "main"',
  ],
  pool_size: [
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 1000,
    'give a whole number, e.g. 2',
  ],
};
