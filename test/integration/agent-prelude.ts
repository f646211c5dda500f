/**
 * What a scripted agent can do. It knows nothing of orange but the file in its worktree: `add` and
 * `put` write sections in place, `save` does it by rename, as many editors do.
 */
export const AGENT_PRELUDE = String.raw`
say() { printf '%s\n' "$*" >> "$RIG/said/all"; }
await_status() { until grep -q "^status: $1\$" TASK.md; do sleep 0.03; done; }
await_go() { until [ -e "$RIG/said/go-$1" ]; do sleep 0.03; done; }
idle() { while :; do sleep 1; done; }
add() { printf '\n## %s\n\n%s\n' "$1" "$2" >> TASK.md; }
without() { awk -v name="## $1" '$0 == name { skip = 1; next } /^## / { skip = 0 } !skip' TASK.md; }
put() { text=$(without "$1"); printf '%s\n\n## %s\n\n%s\n' "$text" "$1" "$2" > TASK.md; }
save() { text=$(without "$1"); printf '%s\n\n## %s\n\n%s\n' "$text" "$1" "$2" > .TASK.md.new; mv .TASK.md.new TASK.md; }
work() { printf '%s\n' "$1" > "$1.txt"; git add -A; git commit -qm "Add $1"; }
`;

const PLAN = `add Plan 'APPROACH: write one file
TOUCHING: done.txt'`;

/** Plans, works, hands off and stays; goes on when a review has failed. */
export const STEADY_WORKER = `
${PLAN}
await_status working
work done
add Handoff 'DONE: done.txt'
idle
`;

export const PASSING_REVIEWER = `
await_status agent-review
add Review 'Verdict: PASS

Good.'
idle
`;
