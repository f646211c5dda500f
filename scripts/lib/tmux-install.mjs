/** How each system's package manager installs tmux: one or more argv, most common systems first. */
export const PACKAGE_MANAGERS = [
  {
    program: 'apt-get',
    needsRoot: true,
    steps: [
      ['apt-get', 'update'],
      ['apt-get', 'install', '-y', '--no-install-recommends', 'tmux'],
    ],
  },
  { program: 'dnf', needsRoot: true, steps: [['dnf', 'install', '-y', 'tmux']] },
  { program: 'apk', needsRoot: true, steps: [['apk', 'add', 'tmux']] },
  { program: 'pacman', needsRoot: true, steps: [['pacman', '-Sy', '--noconfirm', 'tmux']] },
  { program: 'brew', needsRoot: false, steps: [['brew', 'install', 'tmux']] },
];

/**
 * What to do about a missing tmux, given what the machine has: `run` the steps when that needs nobody's
 * password, else `tell` a person the command; there is none when the system is not known.
 */
export function planTmuxInstall({ programs, isRoot, canSudo }) {
  const manager = PACKAGE_MANAGERS.find(({ program }) => programs.includes(program));
  if (manager === undefined) return { kind: 'tell', command: null, steps: [] };
  const needsSudo = manager.needsRoot && !isRoot;
  const withSudo = (...sudo) =>
    manager.steps.map((argv) => (needsSudo ? [...sudo, ...argv] : argv));
  const command = withSudo('sudo')
    .map((argv) => argv.join(' '))
    .join(' && ');
  // Homebrew refuses to run as root, so there it is a person's turn.
  const isAllowed = manager.needsRoot ? isRoot || canSudo : !isRoot;
  return { kind: isAllowed ? 'run' : 'tell', command, steps: withSudo('sudo', '-n') };
}
