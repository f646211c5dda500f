/**
 * The agents of a soak: a worker that writes, falls silent, crashes and hands over; a reviewer that
 * sends it back. Each enters in its ledger what it did before it does it: `crash LAUNCH`,
 * `handoff STEP`, `verdict ROUND`. `sh agent.sh ROLE`, with SAID naming the folder of the ledgers and
 * CRASH_ODDS the odds of a crash in a thousand.
 */
export const SOAK_SCRIPT = String.raw`
ledger="$SAID/$ORANGE_TASK_ID.ledger"
note() { printf '%s\n' "$1" >> "$ledger"; }
field() { while IFS= read -r line; do case $line in "$1: "*) echo "${'$'}{line#*: }"; return;; esac; done < TASK.md; }
has() { while IFS= read -r line; do [ "$line" = "$1" ] && return 0; done < TASK.md; return 1; }
without() { awk -v name="## $1" '$0 == name { skip = 1; next } /^## / { skip = 0 } !skip' TASK.md; }
put() { text=$(without "$1"); printf '%s\n\n## %s\n\n%s\n' "$text" "$1" "$2" > .new; mv .new TASK.md; }
rest() { [ -e "$SAID/over" ] && exec sleep 1000000; sleep "$1"; [ -e "$SAID/over" ] && exec sleep 1000000; }
roll() { od -An -N2 -tu2 /dev/urandom | tr -d ' '; }

if [ "$1" = reviewer ]; then
  rest 1
  note "verdict $ORANGE_REVIEW_ROUND"
  put Review 'Verdict: FAIL'
  exec sleep 1000000
fi

has '## Plan' || put Plan 'APPROACH: step by step'
while :; do
  rest $((2 + $(roll) % 12))
  [ "$(field status)" = working ] || continue
  dice=$(($(roll) % 1000))
  if [ "$dice" -lt "$CRASH_ODDS" ]; then
    note "crash $ORANGE_LAUNCH_ID"
    echo 'last words'
    exit 3
  elif [ "$dice" -lt 400 ]; then
    step=$ORANGE_LAUNCH_ID-$(field review_round)
    has "DONE: $step" && continue
    note "handoff $step"
    put Handoff "DONE: $step"
  else
    put Plan "APPROACH: thought again $dice"
    printf '%s\n' "$dice" >> notes.txt
  fi
done
`;
