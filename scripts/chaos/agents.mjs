// The agents: sh, because it starts in a millisecond. They know nothing of orange but the file in
// their worktree. Every file they leave has a content of its own, which is entered in a ledger once
// it is written, so that the oracle can ask for it later. They enter the process that they are when they
// begin, each start in a line of its own, and say when they have nothing to do.
const PRELUDE = String.raw`
read -r line < /proc/self/stat
printf '%s\n' "$ORANGE_LAUNCH_ID $ORANGE_TASK_ID $ORANGE_ROLE $line" >> "$CHAOS/starts"
printf '%s\n' "$line" > "$CHAOS/lives/$ORANGE_LAUNCH_ID"
busy="$CHAOS/busy/$ORANGE_LAUNCH_ID"
: > "$busy"
rest() { rm -f "$busy"; }
field() { while IFS= read -r line; do case $line in "$1: "*) echo "\${line#*: }"; return;; esac; done < TASK.md; }
has() { while IFS= read -r line; do [ "$line" = "$1" ] && return 0; done < TASK.md; return 1; }
add() { printf '\n## %s\n\n%s\n' "$1" "$2" >> TASK.md; }
without() { awk -v name="## $1" '$0 == name { skip = 1; next } /^## / { skip = 0 } !skip' TASK.md; }
# Whoever is being ended may lose the reader first, and must not write down that there was nothing.
put() { text=$(without "$1") || return; printf '%s\n\n## %s\n\n%s\n' "$text" "$1" "$2" > TASK.md; }
save() { text=$(without "$1") || return; printf '%s\n\n## %s\n\n%s\n' "$text" "$1" "$2" > .TASK.md.new; mv .TASK.md.new TASK.md; }
leave() {
  printf '%s %s %s\n' "$ORANGE_TASK_ID" "$ORANGE_LAUNCH_ID" "$1" > "$1"
  printf '%s %s\n' "$(git hash-object "$1")" "$ORANGE_TASK_ID" >> "$CHAOS/blobs"
}
commit() { leave "$1"; git add -A; git commit -qm "Add $1"; }
listen() { rest; IFS= read -r word || sleep 1000000; : > "$busy"; }
`;

const HAND_OFF = String.raw`
hand_off() {
  round=$(field review_round)
  has "DONE: round $round" && return
  commit "$ORANGE_TASK_ID-$round-$ORANGE_LAUNCH_ID.txt"
  [ "$kind" = messy ] && leave "left-$round-$ORANGE_LAUNCH_ID.txt"
  if [ "$kind" = saver ]; then save Handoff "DONE: round $round"; else put Handoff "DONE: round $round"; fi
}
plan() { has '## Plan' || add Plan 'APPROACH: step by step'; }
`;

const WORKER = String.raw`
case $kind in
  crasher) plan; leave "crash-$ORANGE_LAUNCH_ID.txt"; echo 'last words'; rest; exit 3 ;;
  hanger) leave "hang-$ORANGE_LAUNCH_ID.txt"; rest; exec sleep 1000000 ;;
  asker)
    has '## Plan' || { add Plan 'APPROACH: ask first'
      text=$(sed 's/^status: .*/status: clarification/' TASK.md); printf '%s\n' "$text" > TASK.md; } ;;
  stubborn) trap '' HUP INT TERM; (while :; do sleep 1; done) & plan; hand_off ;;
  forker) setsid sh -c 'trap "" HUP; sleep 1000000' > /dev/null 2>&1 < /dev/null & plan; hand_off ;;
  zombie) sh -c '(exit 0) & exec sleep 1000000' & plan; hand_off ;;
  hasty) for n in 1 2 3 4 5 6 7 8; do put Plan "APPROACH: attempt $n"; done; hand_off ;;
  *) plan; hand_off ;;
esac
while :; do
  listen
  [ "$(field status)" = working ] && hand_off
done
`;

const REVIEWER = String.raw`
case $kind in
  strict) word=FAIL; [ "$ORANGE_REVIEW_ROUND" = 1 ] || word=PASS ;;
  absent) rest; exit 5 ;;
  *) word=PASS ;;
esac
has '## Review' || add Review "Verdict: $word"
rest
exec sleep 1000000
`;

/** The one script of all agents: \`sh agent.sh ROLE KIND\`. */
export const AGENT_SCRIPT = `role=$1 kind=$2\n${PRELUDE}${HAND_OFF}
if [ "$role" = reviewer ]; then${REVIEWER}else${WORKER}fi\n`.replaceAll('\\$', '$');

export const WORKERS = [
  'steady',
  'messy',
  'saver',
  'hasty',
  'asker',
  'crasher',
  'hanger',
  'stubborn',
  'forker',
  'zombie',
];
export const REVIEWERS = ['passing', 'strict', 'absent'];
