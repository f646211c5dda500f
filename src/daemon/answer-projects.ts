import { basename } from 'node:path';
import type { Failure } from '../domain/failure.js';
import { DEFAULT_POOL_SIZE, type Project } from '../domain/project.js';
import type { ProjectRequest } from '../domain/request.js';
import { failed, success, type Result } from '../domain/result.js';
import { isTerminal } from '../domain/status.js';
import { isProjectName } from '../domain/task-id.js';
import type { Files, Repositories, RepositoryFacts } from '../ports.js';
import type { JsonFile } from '../record/json-file.js';
import type { LiveWorld } from './live-world.js';
import { trustDigest } from './load-settings.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly repositories: Pick<Repositories, 'inspect'>;
  readonly projectsFile: JsonFile<readonly Project[]>;
};

type RequestOf<K extends ProjectRequest['kind']> = Extract<ProjectRequest, { kind: K }>;

/** Registers, changes and removes projects. The project's repository is only ever looked at. */
export async function answerProjects(
  parts: Parts,
  request: ProjectRequest,
): Promise<Result<Project>> {
  switch (request.kind) {
    case 'project.add':
      return addProject(parts, request);
    case 'project.update':
      return updateProject(parts, request);
    case 'project.remove':
      return removeProject(parts, request);
    case 'project.trust':
      return trustProject(parts, request);
  }
}

async function addProject(
  parts: Parts,
  request: RequestOf<'project.add'>,
): Promise<Result<Project>> {
  const facts = await inspect(parts, request.path);
  if (!facts.ok) return facts;
  const name = request.name ?? nameFor(facts.value);
  if (!isProjectName(name)) return failed(badName(name));
  const twin = [...parts.world.projects.values()].find(
    (project) => project.name === name || project.path === facts.value.root,
  );
  if (twin !== undefined)
    return failed({ kind: 'project-exists', name: twin.name, path: twin.path });
  const size = checkSize(request.poolSize ?? DEFAULT_POOL_SIZE);
  if (!size.ok) return size;
  const project: Project = {
    name,
    path: facts.value.root,
    default_branch: request.defaultBranch ?? facts.value.defaultBranch,
    pool_size: size.value,
  };
  return save(parts, project, [...parts.world.projects.values(), project]);
}

async function updateProject(
  parts: Parts,
  request: RequestOf<'project.update'>,
): Promise<Result<Project>> {
  const project = findProject(parts.world, request.name);
  if (!project.ok) return project;
  const facts = request.path === null ? null : await inspect(parts, request.path);
  if (facts !== null && !facts.ok) return facts;
  const size = checkSize(request.poolSize ?? project.value.pool_size);
  if (!size.ok) return size;
  const changed: Project = {
    ...project.value,
    path: facts?.value.root ?? project.value.path,
    default_branch: request.defaultBranch ?? project.value.default_branch,
    pool_size: size.value,
  };
  return save(parts, changed, replaced(parts.world, changed));
}

function removeProject(parts: Parts, request: RequestOf<'project.remove'>): Result<Project> {
  const project = findProject(parts.world, request.name);
  if (!project.ok) return project;
  const live = [...parts.world.tasks.values()].filter(
    ({ fields }) => fields.project === request.name && !isTerminal(fields.status),
  );
  if (live.length > 0) {
    return failed({ kind: 'project-in-use', name: request.name, tasks: live.length });
  }
  const rest = [...parts.world.projects.values()].filter(({ name }) => name !== request.name);
  return save(parts, project.value, rest);
}

function trustProject(parts: Parts, request: RequestOf<'project.trust'>): Result<Project> {
  const project = findProject(parts.world, request.name);
  if (!project.ok) return project;
  const digest = trustDigest(parts.files, project.value);
  if (digest === null) {
    return failed({ kind: 'not-found', what: 'file', name: `${project.value.path}/orange.yaml` });
  }
  const trusting: Project = { ...project.value, trusted: digest };
  return save(parts, trusting, replaced(parts.world, trusting));
}

function save(parts: Parts, project: Project, all: readonly Project[]): Result<Project> {
  const written = parts.projectsFile.write(all);
  if (!written.ok) return written;
  parts.world.replaceProjects(all);
  return success(project);
}

async function inspect(parts: Parts, path: string): Promise<Result<RepositoryFacts>> {
  const facts = await parts.repositories.inspect(path);
  if (!facts.ok) return facts;
  if (!facts.value.hasCommits) return failed({ kind: 'repository-without-commits', path });
  return facts;
}

function replaced(world: LiveWorld, changed: Project): readonly Project[] {
  return [...world.projects.values()].map((project) =>
    project.name === changed.name ? changed : project,
  );
}

function findProject(world: LiveWorld, name: string): Result<Project> {
  const project = world.projects.get(name);
  if (project !== undefined) return success(project);
  return failed({ kind: 'not-found', what: 'project', name, near: [...world.projects.keys()] });
}

function nameFor(facts: RepositoryFacts): string {
  const name = basename(facts.root).replace(/\.git$/, '');
  return name
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[.-]+/, '')
    .replace(/\.{2,}/g, '.');
}

function checkSize(size: number): Result<number> {
  if (Number.isInteger(size) && size >= 1 && size <= 100) return success(size);
  const rule = 'a pool has 1 to 100 worktrees';
  return failed({ kind: 'invalid-argument', argument: 'pool-size', value: String(size), rule });
}

function badName(name: string): Failure {
  const rule =
    'a project name has letters, digits, ".", "_" and "-", and starts with no "-" or "."';
  return {
    kind: 'invalid-argument',
    argument: 'name',
    value: name,
    rule,
    remedy: 'give one with --name',
  };
}
