/** A minimal valid section of each kind, as an agent shall write it. Shown in prompts. */
export const PLAN_EXAMPLE = `## Plan

APPROACH: Keep the session in a signed cookie and check it in one middleware
TOUCHING: src/auth/login.ts, src/auth/middleware.ts
RISKS: Requests that are under way while the key changes`;

export const HANDOFF_EXAMPLE = `## Handoff

DONE: Login and middleware, with tests
REMAINING: nothing
DECISIONS: Signed cookie instead of a session table, so that no migration is needed
UNCERTAIN: Whether a changed password shall end other sessions`;

export const QUESTIONS_EXAMPLE = `## Questions

1. Shall a changed password end the user's other sessions?`;

export const PASS_EXAMPLE = `## Review

Verdict: PASS

The branch does what the task asks. Tests cover the expired cookie.`;

export const FAIL_EXAMPLE = `## Review

Verdict: FAIL

src/auth/login.ts:42 An expired cookie is accepted; compare the date before the signature.`;
