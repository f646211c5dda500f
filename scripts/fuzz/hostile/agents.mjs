/**
 * The one agent, which does nothing by itself: `sh agent.sh ROLE PROMPT FILE BRANCH`. It notes what it
 * was given, prints what its task is to have on the screen, and notes every byte that is typed.
 */
export const AGENT_SCRIPT = String.raw`
got="$HOSTILE/got/$ORANGE_TASK_ID"
mkdir -p "$got"
me="$got/$ORANGE_LAUNCH_ID"
printf '%s' "$2" > "$me.prompt"
cat "$3" > "$me.file"
printf '%s' "$4" > "$me.branch"
env -0 > "$me.env"
stty raw -echo
until [ -e "$got/screen" ]; do sleep 0.02; done
cat "$got/screen"
# Whatever was left open on the screen is closed, and pastes are marked as such.
printf '\030\033\\\033[?1049l\033[?2004h\r\nready\r\n'
: > "$me.typed"
printf '%s' "$1" > "$me.ready"
trap 'exit 3' TERM
exec 3<&0
printf '%s' "$$" > "$me.pid"
while dd bs=65536 count=1 <&3 2> /dev/null >> "$me.typed" & wait $!; do printf .; done
`;

/** What is told by \`notify.command\`: one file for each notice. */
export const NOTICE_SCRIPT = String.raw`
mkdir -p "$HOSTILE/notices"
env -0 > "$HOSTILE/notices/$$.tmp"
mv "$HOSTILE/notices/$$.tmp" "$HOSTILE/notices/$$.env"
`;
