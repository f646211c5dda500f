import { quoteForShell } from './quote-for-shell.js';

/** What the launcher of one agent is told, in a file that it empties as soon as it has read it. */
export type LaunchOrder = {
  readonly cwd: string;
  /** Which permissions files of the agent do not get. */
  readonly mask: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Runs in the pane: `sh launcher.sh <directory> <window> <order> <launch> <session>`, plain POSIX sh.
 * Its first process leads the terminal session and dies of a hang-up, which makes the kernel hang up
 * everything in the foreground; the second, the recorder, outlives the agent to write down how it
 * ended; the third becomes the agent. The first two step over Ctrl-C with a trap, which unlike an
 * ignored signal is not inherited by the agent. With an order that is `awaited` the third waits at its
 * gate until that is written, and goes when the daemon does. Order of the records: pid before the agent
 * starts, exit as soon as it has ended, then the screen; none of an agent that never started but for
 * the reason. A record is one write: whoever reads too early sees none, never half of one; the screen
 * is whole when the recorder is gone. On the way to the agent no program is run but the agent itself,
 * and after it only what reads the screen: whoever waits for the record wants the processor. Of the
 * order an empty file stays behind.
 */
export const LAUNCHER_SCRIPT = `directory=$1
window=$2
order=$3
launch=$4
session=$5
file=$directory/$window.launch
umask 077
# Only the agent sits in the worktree, which may be wanted as soon as it is gone.
cd /

record() {
  printf '%s\\n' "$2" > "$directory/$window.$1"
}

terminal=
[ -t 0 ] && terminal=yes
trap : INT QUIT
(
  trap : HUP INT QUIT TERM
  server=\${TMUX%,*}
  server=\${server##*,}
  since=
  if [ -r /proc/self/stat ]; then
    read -r boot < /proc/sys/kernel/random/boot_id
    set -f
    read -r line < /proc/self/stat
    pid=\${line%% *}
    set -- \${line##*) }
    start=$boot/\${20}
    since=$boot/0
    if [ -n "$server" ] && read -r line < "/proc/$server/stat"; then
      set -- \${line##*) }
      since=$boot/\${20}
    fi
  else
    pid=$(exec sh -c 'echo $PPID')
    start=
  fi
  under=null
  [ -z "$server" ] || under="{\\"pid\\":$server,\\"start\\":\\"$since\\"}"

  (
    [ "$order" != awaited ] || read -r line < "$directory/$window.gate" || exit 1
    stage=launcher
    . "$file"
    if ! cd "$cwd" 2> /dev/null; then
      rm -f "$file"
      record exit "{\\"launch\\":\\"$launch\\",\\"status\\":null,\\"signal\\":null,\\"failure\\":\\"no-directory\\"}"
      exit 1
    fi
    from=null
    [ -z "$start" ] || read -r from line < /proc/uptime
    record pid "{\\"launch\\":\\"$launch\\",\\"session\\":\\"$session\\",\\"pid\\":$pid,\\"start\\":\\"$start\\",\\"leader\\":$$,\\"server\\":$under,\\"from\\":$from}"
    # A hang-up that came before this process could die of it.
    [ -z "$terminal" ] || [ -t 0 ] || exit 129
    umask "$mask"
    stage=agent
    . "$file"
    exec "$@"
  )
  status=$?
  # It never started, and why is told.
  [ ! -e "$directory/$window.exit" ] || exit "$status"
  [ -e "$directory/$window.pid" ] || [ "$order" != awaited ] || exit "$status"

  # Whether the terminal was taken away, by its server's death or by somebody.
  hungup=false
  [ -z "$terminal" ] || [ -t 0 ] || hungup=true
  name=
  case $status in
  129) name=HUP ;;
  130) name=INT ;;
  137) name=KILL ;;
  139) name=SEGV ;;
  143) name=TERM ;;
  *) [ "$status" -le 128 ] || name=$(kill -l "$status" 2> /dev/null) ;;
  esac
  signal=null
  [ -z "$name" ] || signal=\\"SIG\${name#SIG}\\"
  to=
  [ -z "$start" ] || ! read -r to line < /proc/uptime || to=",\\"to\\":$to"
  record exit "{\\"launch\\":\\"$launch\\",\\"status\\":$status,\\"signal\\":$signal,\\"hung_up\\":$hungup$to}"

  if [ "$hungup" = false ]; then
    tmux -N -u -S "\${TMUX%%,*}" capture-pane -p -J -S -200 -t "$TMUX_PANE" \\
      > "$directory/$window.screen" 2> /dev/null < /dev/null
  fi
  exit "$status"
)
exit $?
`;

/** Whether a process with these arguments is one of the launcher's own, for this launch. */
export function isLauncherOf(argv: readonly string[], launchId: string): boolean {
  const [, script, , , , launch, ...rest] = argv;
  return script?.endsWith('/launcher.sh') === true && launch === launchId && rest.length === 1;
}

/** The text of a launch file: what the launcher itself needs, then what only the agent gets. */
export function writeLaunchOrder(order: LaunchOrder): string {
  const exports = Object.entries(order.env)
    .filter(([name, value]) => isPassableVariable(name) && !value.includes('\0'))
    .map(([name, value]) => `export ${name}=${quoteForShell(value)}`);
  return [
    `cwd=${quoteForShell(order.cwd)}`,
    `mask=0${order.mask.toString(8)}`,
    'if [ "$stage" = agent ]; then',
    // A shell has read all of this before it does any of it; no variable of the agent's is set yet.
    ': > "$file"',
    `unset ${[...SERVER_VARIABLES, ...TERMINAL_VARIABLES, 'OLDPWD'].join(' ')}`,
    ...exports,
    'export PWD',
    `set -- ${order.argv.map(quoteForShell).join(' ')}`,
    'fi',
    '',
  ].join('\n');
}

/** The only variables that the terminal server is started with. */
export const SERVER_VARIABLES: readonly string[] = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TMPDIR',
  'TZ',
  'USER',
];

// Set by tmux in the pane; with TMUX an agent could end the sessions of others.
const TERMINAL_VARIABLES = ['TMUX', 'TMUX_PANE', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION'];

// TERM, PWD and the size are the pane's own; the rest some shell refuses to assign.
const SHELL_OWNED: ReadonlySet<string> = new Set([
  ...TERMINAL_VARIABLES,
  '_',
  'BASHOPTS',
  'BASH_VERSINFO',
  'COLUMNS',
  'EUID',
  'LINENO',
  'LINES',
  'OLDPWD',
  'OPTIND',
  'PPID',
  'PWD',
  'SHELLOPTS',
  'TERM',
  'UID',
]);

function isPassableVariable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !SHELL_OWNED.has(name);
}
