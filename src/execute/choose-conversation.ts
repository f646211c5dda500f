import { isConversationId } from '../domain/conversation-id.js';
import type { StartAgent } from '../domain/effect.js';
import { textOf } from '../domain/extensions.js';
import type { Extensions } from '../domain/task.js';
import type { Harness } from '../harness/harness.js';
import type { Execution } from './execution.js';

export type ChosenConversation = {
  /** Null lets the program choose. */
  readonly harnessSession: string | null;
  readonly isResuming: boolean;
};

/** The conversation that an agent goes on with or begins. A reviewer always begins one. */
export function chooseConversation(
  execution: Pick<Execution, 'newConversationId'>,
  { role, isResuming }: StartAgent,
  about: { readonly harness: Harness; readonly extensions: Extensions },
): ChosenConversation {
  const { canResume, takesSessionId } = about.harness;
  if (role === 'reviewer') return { harnessSession: null, isResuming: false };
  const known = knownConversation(about.extensions);
  if (isResuming && canResume && known !== null) return { harnessSession: known, isResuming };
  return {
    harnessSession: takesSessionId ? execution.newConversationId() : null,
    isResuming: false,
  };
}

/** What somebody may have written there by hand must not become an option of the program. */
function knownConversation(extensions: Extensions): string | null {
  const id = textOf(extensions['harness_session']);
  return id !== null && isConversationId(id) ? id : null;
}
