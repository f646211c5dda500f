import type { Failure } from '../domain/failure.js';
import type { AwaitedLaunch, Launch } from '../ports.js';
import { isExactSessionName, isExactWindowName } from './tmux-command.js';

/** Why a launch cannot be at this place, or null. */
export function checkPlace(launch: AwaitedLaunch): Failure | null {
  if (!isExactSessionName(launch.session)) return unusable('session', launch.session);
  if (!isExactWindowName(launch.window)) return unusable('window', launch.window);
  return null;
}

/** Why a launch cannot be carried out as it is ordered, or null. */
export function checkLaunch(launch: Launch): Failure | null {
  const refusal = checkPlace(launch);
  if (refusal !== null) return refusal;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(launch.launchId)) return unusable('launch', launch.launchId);
  if (launch.argv[0] === undefined || launch.argv[0] === '') return unusable('command', '');
  const words = [launch.cwd, ...launch.argv];
  return words.some((word) => word.includes('\0')) ? unusable('command', 'NUL') : null;
}

export function unusable(argument: string, value: string): Failure {
  return { kind: 'invalid-argument', argument, value, rule: 'a name in safe characters' };
}
