/** How long a silent agent says nothing: past the last step of the ladder, which a process of its own puts off. */
const SILENT_S = 50;

/** Quiet, not asked, stalled after so many minutes: at 12, 18 and 24 s, and 12 s later while a process runs. */
export const STALL_MINUTES = [0.2, 0.3, 0.4];

/**
 * The agents of a soak: a worker that writes, commits, falls silent until it counts as stalled and
 * recovers, crashes and hands over; a reviewer that sends it back, or now and then lets it pass. Each
 * enters in its ledger that it has begun, `start LAUNCH`, and what it did before it does it: `crash LAUNCH`, `silent LAUNCH`, `awake LAUNCH`,
 * `handoff STEP`, `verdict FAIL`, and `rest LAUNCH` when the soak is over and it does nothing any more.
 * `sh agent.sh ROLE`, with SAID naming the folder of the ledgers, and the odds in a thousand that a
 * worker's step is a crash (CRASH_ODDS), a silence (SILENCE_ODDS), and that a review passes (PASS_ODDS).
 */
export const SOAK_SCRIPT = String.raw`
ledger="$SAID/$ORANGE_TASK_ID.ledger"
note() { printf '%s\n' "$1" >> "$ledger"; }
field() { while IFS= read -r line; do case $line in "$1: "*) echo "${'$'}{line#*: }"; return;; esac; done < TASK.md; }
has() { while IFS= read -r line; do [ "$line" = "$1" ] && return 0; done < TASK.md; return 1; }
without() { awk -v name="## $1" '$0 == name { skip = 1; next } /^## / { skip = 0 } !skip' TASK.md; }
put() { text=$(without "$1"); printf '%s\n\n## %s\n\n%s\n' "$text" "$1" "$2" > .new; mv .new TASK.md; }
ending() { [ -e "$SAID/over" ] || return 0; note "rest $ORANGE_LAUNCH_ID"; exec sleep 1000000; }
rest() { ending; sleep "$1"; ending; }
roll() { echo $(($(od -An -N2 -tu2 /dev/urandom) % 1000)); }

note "start $ORANGE_LAUNCH_ID"
if [ "$1" = reviewer ]; then
  rest 1
  verdict=FAIL
  [ "$(roll)" -lt "$PASS_ODDS" ] && verdict=PASS
  note "verdict $verdict"
  put Review "Verdict: $verdict"
  exec sleep 1000000
fi

own=notes-$ORANGE_TASK_ID.txt
has '## Plan' || put Plan 'APPROACH: step by step'
while :; do
  rest $((2 + $(roll) % 12))
  [ "$(field status)" = working ] || continue
  dice=$(roll)
  if [ "$dice" -lt "$CRASH_ODDS" ]; then
    note "crash $ORANGE_LAUNCH_ID"
    echo 'last words'
    exit 3
  elif [ "$dice" -lt "$((CRASH_ODDS + SILENCE_ODDS))" ]; then
    note "silent $ORANGE_LAUNCH_ID"
    rest ${SILENT_S}
    note "awake $ORANGE_LAUNCH_ID"
    put Plan "APPROACH: thought again $dice"
  elif [ "$dice" -lt 400 ]; then
    step=$ORANGE_LAUNCH_ID-$(field review_round)
    has "DONE: $step" && continue
    printf '%s\n' "$step" >> "$own"
    git add "$own" && git commit -qm "Step $step"
    note "handoff $step"
    put Handoff "DONE: $step"
  else
    put Plan "APPROACH: thought again $dice"
    printf '%s\n' "$dice" >> "$own"
  fi
done
`;
