// The parts of the product that hand over prompts and notices, bundled for a run.
export { createDiskFiles } from '../../../src/adapters/disk-files.ts';
export { LAUNCHER_SCRIPT, writeLaunchOrder } from '../../../src/adapters/launcher-script.ts';
export { createNotifier } from '../../../src/adapters/notify-desktop.ts';
export { runCommand } from '../../../src/adapters/run-command.ts';
export { customHarness, harnessWithoutCommand } from '../../../src/harness/custom-harness.ts';
