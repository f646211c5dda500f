import type { Diagnostic } from '../domain/diagnostic.js';
import { DEFAULT_SETTINGS, type Settings } from '../domain/settings.js';
import type { SettingsInForce } from '../domain/task-view.js';
import type { Clock, Files, Log } from '../ports.js';
import type { JsonFile } from '../record/json-file.js';
import type { Project } from '../domain/project.js';
import type { Paths } from '../record/paths.js';
import { keepLastGoodSettings, readLastGoodSettings } from '../record/last-good-settings.js';
import { lastGoodProjects, type LastGoodProjects } from '../record/last-good-projects.js';
import {
  loadProjectSettings,
  loadUserSettings,
  readSettingsWord,
  type GoodSettings,
} from './load-settings.js';
import type { LiveWorld } from './live-world.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly log: Log;
  readonly clock: Clock;
  readonly projectsFile: JsonFile<readonly Project[]>;
};

const QUIET_MS = 100;

/** Keeps the world's projects and settings as their files say, or as they last said validly. */
export class SettingsKeeper {
  readonly #parts: Parts;
  readonly #projectFiles = new Set<string>();
  /** Null until config.yaml was first read. */
  #lastGood: GoodSettings | null = null;
  #isRejected = false;
  /** Whether what the home keeps of config.yaml is behind what was last valid. */
  #isUnkept = false;
  /** What the settings were last made of. */
  #word = '';
  #keptProjects = '';
  #hasReadProjects = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The settings that belong to no project. */
  get user(): Settings {
    return this.#lastGood?.settings ?? DEFAULT_SETTINGS;
  }

  /** Whether they are what config.yaml says now. */
  get inForce(): SettingsInForce {
    if (!this.#isRejected) return 'as-written';
    return (this.#lastGood?.text ?? null) === null ? 'defaults' : 'last-good';
  }

  /** Reads what has changed, and tells whether the settings have. */
  reload(): boolean {
    this.#reloadProjects();
    return this.#reloadSettings();
  }

  #reloadProjects(): void {
    const { world, paths, projectsFile } = this.#parts;
    const read = projectsFile.read();
    if (read.ok) {
      this.#hasReadProjects = true;
      world.replaceProjects(read.value);
      this.#keepProjects(read.value);
      this.#report(paths.projectsFile, []);
      return;
    }
    // Nobody has seen a valid one since the start: then the last one that somebody saw counts.
    if (!this.#hasReadProjects) world.replaceProjects(this.#lastGoodProjects().read() ?? []);
    if (read.failure.kind === 'file-rejected') {
      this.#report(paths.projectsFile, read.failure.diagnostics);
    } else {
      this.#parts.log.write({
        event: 'projects.unreadable',
        level: 'error',
        failure: read.failure.kind,
      });
    }
  }

  #keepProjects(projects: readonly Project[]): void {
    const text = JSON.stringify(projects);
    // An empty list may be what a fault shows; there is nothing in it to keep.
    if (text === this.#keptProjects || projects.length === 0) return;
    const kept = this.#lastGoodProjects().keep(projects);
    if (kept.ok) this.#keptProjects = text;
  }

  #lastGoodProjects(): LastGoodProjects {
    return lastGoodProjects(this.#parts.files, this.#parts.paths);
  }

  #reloadSettings(): boolean {
    const { world, files, paths } = this.#parts;
    if (this.#isUnkept) this.#keepSettings();
    if (this.#isBeingWritten()) return false;
    const word = readSettingsWord(files, paths, world.projects.values());
    if (word === this.#word) return false;
    this.#word = word;
    this.#reloadUser();
    world.settings.clear();
    world.settings.set('', this.user);
    const gone = new Set(this.#projectFiles);
    this.#projectFiles.clear();
    for (const project of world.projects.values()) {
      const own = loadProjectSettings(files, project, this.user);
      const file = `${project.path}/orange.yaml`;
      world.settings.set(project.name, own.settings);
      this.#report(file, own.diagnostics);
      this.#projectFiles.add(file);
      gone.delete(file);
    }
    for (const file of gone) this.#report(file, []);
    return true;
  }

  #reloadUser(): void {
    const { world, files, paths } = this.#parts;
    const { good, diagnostics } = loadUserSettings(files, paths);
    this.#isRejected = good === null;
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    world.rejectedSettings = good === null ? (errors[0] ?? null) : null;
    // Nobody has seen a valid one since the start: then the last one that somebody saw counts.
    this.#lastGood = good ?? this.#lastGood ?? readLastGoodSettings(files, paths);
    if (good !== null) this.#keepSettings();
    this.#report(paths.configFile, diagnostics);
  }

  #keepSettings(): void {
    const { files, paths } = this.#parts;
    this.#isUnkept = !keepLastGoodSettings(files, paths, this.#lastGood?.text ?? null).ok;
  }

  /** A file that has just changed may be half written: it is read at the next occasion. */
  #isBeingWritten(): boolean {
    const { world, files, paths, clock } = this.#parts;
    const state = files.stat(paths.configFile);
    if (!world.settings.has('') || !state.ok || state.value.kind !== 'file') return false;
    const age = clock.nowMs() - state.value.stamp.mtimeMs;
    return age >= 0 && age < QUIET_MS;
  }

  #report(file: string, diagnostics: readonly Diagnostic[]): void {
    const { world, log } = this.#parts;
    const before = JSON.stringify(world.problems.get(file) ?? []);
    if (diagnostics.length === 0) world.problems.delete(file);
    else world.problems.set(file, diagnostics);
    if (diagnostics.length === 0 || before === JSON.stringify(diagnostics)) return;
    for (const { message, line, severity } of diagnostics) {
      log.write({
        event: 'settings.problem',
        level: severity === 'error' ? 'error' : 'warn',
        file,
        line,
        message,
      });
    }
  }
}
