import { expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Machine = {
  readonly programs: readonly string[];
  readonly isRoot: boolean;
  readonly canSudo: boolean;
};
type Plan = { kind: 'run' | 'tell'; command: string | null; steps: readonly (readonly string[])[] };

const { planTmuxInstall } = await loadScript<{ planTmuxInstall: (machine: Machine) => Plan }>(
  'tmux-install',
);

it('root on Debian renews the package list and installs', () => {
  expect(planTmuxInstall({ programs: ['apt-get'], isRoot: true, canSudo: false })).toMatchObject({
    kind: 'run',
    steps: [
      ['apt-get', 'update'],
      ['apt-get', 'install', '-y', '--no-install-recommends', 'tmux'],
    ],
  });
});

it('sudo without a password is used, and told never to ask for one', () => {
  const plan = planTmuxInstall({ programs: ['dnf'], isRoot: false, canSudo: true });
  expect(plan).toMatchObject({
    kind: 'run',
    steps: [['sudo', '-n', 'dnf', 'install', '-y', 'tmux']],
  });
});

it('a user who may not install is told the line to run', () => {
  const plan = planTmuxInstall({ programs: ['apk'], isRoot: false, canSudo: false });
  expect(plan).toMatchObject({ kind: 'tell', command: 'sudo apk add tmux' });
});

it('Homebrew is used without root only', () => {
  const programs = ['brew'];
  expect(planTmuxInstall({ programs, isRoot: false, canSudo: false })).toMatchObject({
    kind: 'run',
    steps: [['brew', 'install', 'tmux']],
  });
  expect(planTmuxInstall({ programs, isRoot: true, canSudo: false }).kind).toBe('tell');
});

it('an unknown system gets no command', () => {
  const plan = planTmuxInstall({ programs: [], isRoot: true, canSudo: false });
  expect(plan).toMatchObject({ kind: 'tell', command: null });
});
