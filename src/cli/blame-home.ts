import type { Failure } from '../domain/failure.js';
import type { Files } from './command-context.js';

/** Why no daemon could be started, told of the home where there is none and none can be made. */
export function blameHome(files: Pick<Files, 'stat'>, home: string, failure: Failure): Failure {
  if (failure.kind !== 'io-failed') return failure;
  const state = files.stat(home);
  if (!state.ok || state.value.kind === 'absent') {
    return { kind: 'home-unusable', home, reason: `it cannot be made (${failure.code})` };
  }
  return state.value.kind === 'file'
    ? { kind: 'home-unusable', home, reason: 'it is a file' }
    : failure;
}
