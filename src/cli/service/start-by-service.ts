import type { Environment, Files } from '../command-context.js';
import { SERVICE_MARK, type Service } from './service.js';
import { runSteps } from './run-steps.js';

/** Starts the daemon through its manager; false where no service was installed or none answers. */
export async function startByService(parts: {
  readonly service: Service | null;
  readonly files: Files;
  readonly env: Environment;
}): Promise<boolean> {
  const { service, files, env } = parts;
  if (service === null || readServiceFile(files, service) !== 'ours') return false;
  const started = await runSteps([service.probe, service.start], env);
  return started.ok;
}

/** Whose the service file is. */
export function readServiceFile(files: Files, service: Service): 'absent' | 'ours' | 'foreign' {
  const state = files.stat(service.file);
  if (state.ok && state.value.kind === 'absent') return 'absent';
  const read = files.readText(service.file, MAX_BYTES);
  return read.ok && read.value.text.includes(SERVICE_MARK) ? 'ours' : 'foreign';
}

const MAX_BYTES = 64 * 1024;
