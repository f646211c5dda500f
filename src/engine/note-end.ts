import type { EndedAgent } from '../domain/world.js';

/** An end that the history knows of; when it was seen stands in where nobody recorded its time. */
export function noteEnd(agent: EndedAgent, seenAt: string): EndedAgent {
  const { endedAt = seenAt } = agent.exit;
  return { ...agent, exit: { ...agent.exit, endedAt }, isNoted: true };
}
