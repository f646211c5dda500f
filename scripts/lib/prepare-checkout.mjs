import { installDependencies } from './install-dependencies.mjs';
import { requireNode } from './require-node.mjs';
import { requirePrograms } from './require-programs.mjs';

/** Sees to all that orange needs to be built and run: Node, git, tmux, packages. Does nothing twice. */
export async function prepareCheckout() {
  requireNode();
  await requirePrograms();
  await installDependencies();
}
