import type { Diagnostic } from '../domain/diagnostic.js';
import { DEFAULT_SETTINGS } from '../domain/settings.js';
import type { Snapshot } from '../domain/task-view.js';
import { projectSettingsFile } from '../record/paths.js';
import { applyProjectSettings } from '../record/settings-file.js';
import type { CommandContext } from './command-context.js';
import { ok, warn, wrong, type DoctorFinding } from './doctor-finding.js';
import { fromFailure } from './doctor-machine.js';
import { MAX_SETTINGS_BYTES, readSettings } from './read-settings.js';

/** What is wrong in config.yaml and in the orange.yaml of each project. */
export async function checkSettings(
  context: CommandContext,
  snapshot: Snapshot,
): Promise<readonly DoctorFinding[]> {
  const own = await readSettings(context);
  const found = [
    ...(own.ok
      ? own.value.diagnostics.map(fromDiagnostic)
      : [fromFailure('settings', own.failure)]),
    ...snapshot.projects.flatMap((project) => checkProjectSettings(context, project)),
  ];
  return found.length > 0 ? found : [ok('settings', 'config.yaml and orange.yaml are fine')];
}

function checkProjectSettings(
  context: CommandContext,
  project: Snapshot['projects'][number],
): readonly DoctorFinding[] {
  const file = projectSettingsFile(project.path);
  const state = context.files.stat(file);
  if (!state.ok || state.value.kind === 'absent') return [];
  const read = context.files.readText(file, MAX_SETTINGS_BYTES);
  if (!read.ok) return [fromFailure('settings', read.failure)];
  const { diagnostics } = applyProjectSettings(
    DEFAULT_SETTINGS,
    { text: read.value.text, file },
    project.trusted === 'trusted',
  );
  return diagnostics.map(fromDiagnostic);
}

function fromDiagnostic(found: Diagnostic): DoctorFinding {
  const message = `${found.file}:${found.line} ${found.code} ${found.message}`;
  return found.severity === 'error'
    ? wrong('settings', message, found.fix)
    : warn('settings', message, found.fix);
}
