import { readPackage } from './checkout.mjs';
import { StepFailed } from './step-failed.mjs';

/** Refuses a Node that is older than package.json's `engines.node`, which has the form `>=20.19`. */
export function requireNode(version = process.versions.node) {
  const floor = readPackage().engines.node.replace('>=', '');
  if (isAtLeast(version, floor)) return;
  throw new StepFailed(
    `orange needs Node ${floor} or newer; this is ${version} (${process.execPath}).\n` +
      'Install a current one from https://nodejs.org or with your version manager, then try again.',
  );
}

function isAtLeast(version, floor) {
  const [have, need] = [version, floor].map((text) => text.split('.').map(Number));
  for (const [place, needed] of need.entries()) {
    const had = have[place] ?? 0;
    if (had !== needed) return had > needed;
  }
  return true;
}
