import { isTerminal, STATUSES, type Status } from '../../src/domain/status.js';

/** The move table of product.md in its own words, so that the engine's can be held against it. */
export const LEGAL_MOVES: readonly string[] = [
  'pending>planning',
  'planning>working',
  'planning>clarification',
  'working>clarification',
  'clarification>planning',
  'clarification>working',
  'working>agent-review',
  'agent-review>reviewing',
  'agent-review>working',
  'agent-review>stuck',
  'working>reviewing',
  'reviewing>working',
  'planning>stuck',
  'working>stuck',
  'stuck>planning',
  'stuck>working',
  'stuck>reviewing',
  'planning>pending',
  'working>pending',
  ...STATUSES.filter((from) => !isTerminal(from)).flatMap((from) => [
    `${from}>cancelled`,
    `${from}>done`,
  ]),
];

/** The moves that an agent may ask for. */
export const AGENT_MOVES: readonly string[] = [
  'planning>working',
  'planning>clarification',
  'working>clarification',
  'clarification>planning',
  'clarification>working',
  'working>agent-review',
  'agent-review>reviewing',
  'agent-review>working',
  'agent-review>stuck',
  'planning>stuck',
  'working>stuck',
];

export function eachPair(): readonly { readonly from: Status; readonly to: Status }[] {
  return STATUSES.flatMap((from) => STATUSES.map((to) => ({ from, to })));
}
