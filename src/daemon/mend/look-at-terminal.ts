import { describeFailure } from '../../domain/describe-failure.js';
import type { SurveyedTerminal } from '../../doctor/survey.js';
import type { Sessions } from '../../ports.js';

/** The sessions on orange's own terminal server. */
export async function lookAtTerminal(sessions: Pick<Sessions, 'list'>): Promise<SurveyedTerminal> {
  const listed = await sessions.list();
  if (listed.ok) return { kind: 'listed', sessions: listed.value };
  return { kind: 'silent', reason: describeFailure(listed.failure).message };
}
