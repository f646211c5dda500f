import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runProgram } from './run-program.mjs';
import { runStep } from './run-step.mjs';
import { complain, say } from './say.mjs';
import { StepFailed } from './step-failed.mjs';
import { PACKAGE_MANAGERS, planTmuxInstall } from './tmux-install.mjs';

const PROBE_MS = 10_000;
const INSTALL_MS = 300_000;

/** Makes sure of git and tmux: tmux is installed when that needs nobody's password, else the step fails. */
export async function requirePrograms() {
  if (!(await answers('git', '--version'))) {
    throw new StepFailed(
      'orange needs git, and there is none on the PATH. Install it and try again.',
    );
  }
  if (await answers('tmux', '-V')) return;
  await installTmux();
  if (await answers('tmux', '-V')) return;
  throw new StepFailed('tmux was installed, but `tmux -V` does not run. See what it says.');
}

async function installTmux() {
  const isRoot = process.getuid?.() === 0;
  const plan = planTmuxInstall({
    programs: PACKAGE_MANAGERS.map(({ program }) => program).filter(isOnPath),
    isRoot,
    canSudo: !isRoot && isOnPath('sudo') && (await answers('sudo', '-n', 'true')),
  });
  if (plan.kind === 'tell') throw new StepFailed(tellHow(plan.command));
  say('tmux is not installed.');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const [place, argv] of plan.steps.entries()) {
    const title = `Installing tmux (${argv.join(' ')})`;
    const step = runStep(title, argv, { env, timeoutMs: INSTALL_MS });
    // A package list that could not be renewed may still be good enough; the last step decides.
    await step.catch((error) => {
      if (place < plan.steps.length - 1) complain(error.message);
      else throw new StepFailed(`${error.message}\n\n${tellHow(plan.command)}`);
    });
  }
}

function tellHow(command) {
  const need = 'orange needs tmux, which is not installed.';
  if (command === null)
    return `${need} Install it with your system's package manager, then try again.`;
  return `${need} Run this, then try again:\n\n  ${command}`;
}

async function answers(command, ...args) {
  return (await runProgram(command, args, { timeoutMs: PROBE_MS })).code === 0;
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
