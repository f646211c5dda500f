import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { awaitState } from '../../chaos/wait.mjs';

const LIMIT_MS = 60_000;

/** One case on its way: its texts as they were given, as they were taken, and what is wrong so far. */
export class Scene {
  id = null;
  session = null;
  problems = [];
  refusals = 0;
  looked = new Set();

  constructor(place, { number, given }) {
    this.place = place;
    this.number = number;
    this.given = given;
    this.said = { ...given };
  }

  /** Notes that a sink was looked at, and what is wrong there. */
  complain(sink, found) {
    this.looked.add(sink);
    this.problems.push(...found.map((problem) => ({ index: this.number, sink, problem })));
  }

  get folder() {
    return join(this.place.home, 'tasks', this.said.project, this.id);
  }

  get runFolder() {
    return join(this.place.home, 'run', this.id);
  }

  get worktree() {
    return join(this.place.home, 'workspaces', `${this.said.project}--1`);
  }

  get repository() {
    return join(this.place.root, 'r', String(this.number));
  }

  taskText() {
    return readFileSync(join(this.folder, 'TASK.md'), 'utf8');
  }

  historyText() {
    return readFileSync(join(this.folder, 'history.jsonl'), 'utf8');
  }

  events() {
    const lines = this.historyText().split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  /** What an agent noted, by the kind of note and the order in which agents began. */
  notes(kind) {
    const folder = join(this.place.root, 'got', this.id);
    const launches = this.events()
      .filter(({ type }) => type === 'agent.spawned' || type === 'review.started')
      .map(({ launch }) => join(folder, `${launch}.${kind}`));
    return launches.filter((path) => existsSync(path));
  }

  note(kind, order) {
    const path = this.notes(kind)[order];
    return path === undefined ? null : readFileSync(path, 'utf8');
  }

  /** Waits for what has to come. */
  async until(what, look) {
    const seen = await awaitState(look, LIMIT_MS, 15);
    if (seen === undefined) throw new Error(`${what} never came\n${this.taskText()}`);
    return seen;
  }

  async untilMoved(to) {
    return this.until(to, () => {
      const moves = this.events().filter(({ to: there }) => there !== undefined);
      return moves.at(-1)?.to === to && new RegExp(`^status: ${to}$`, 'm').test(this.taskText());
    });
  }

  submit(request, actor = 'human') {
    const call = { method: 'submit', actor, request: { taskId: this.id, ...request } };
    return this.place.daemon.client.call(call, LIMIT_MS);
  }

  /** A request that has to be granted. */
  async must(request, actor) {
    const answer = await this.submit(request, actor);
    if (answer.result === undefined) {
      throw new Error(`${request.kind} was refused: ${JSON.stringify(answer).slice(0, 500)}`);
    }
    return answer.result;
  }
}

/** The files of a folder with their texts; those that go meanwhile are left out. */
export function readFolder(folder) {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ name }) => {
    const path = join(folder, name);
    return existsSync(path) ? [{ name, text: readFileSync(path, 'utf8') }] : [];
  });
}

/** A list of variables, each ended by a NUL, as an object. */
export function variablesOf(text) {
  const pairs = text.split('\0').filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)]),
  );
}
