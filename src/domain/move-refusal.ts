import type { Reserved } from './lock.js';

/** Why the engine will not make a move. */
export type MoveRefusal =
  | Reserved
  | { readonly kind: 'no-such-move' }
  | { readonly kind: 'terminal' }
  | { readonly kind: 'not-for-agents' }
  | { readonly kind: 'artifact-missing'; readonly section: 'Plan' | 'Handoff' | 'Review' }
  | { readonly kind: 'verdict-says'; readonly verdict: 'PASS' | 'FAIL' }
  | { readonly kind: 'reviewer-not-started' }
  | { readonly kind: 'rounds-left'; readonly round: number; readonly max: number }
  | { readonly kind: 'rounds-used'; readonly round: number; readonly max: number }
  | { readonly kind: 'gate-closed'; readonly gate: string; readonly mode: string }
  | { readonly kind: 'needs-merge' };
