import { failed, success, type Result } from '../domain/result.js';
import type { CommandContext } from './command-context.js';
import { oneLine } from './table.js';

/** Asks before something that cannot be taken back. False: the person said no. */
export async function confirm(
  context: Pick<CommandContext, 'terminal' | 'output'>,
  step: { readonly action: string; readonly isConfirmed: boolean },
): Promise<Result<boolean>> {
  if (step.isConfirmed) return success(true);
  if (!context.terminal.isInteractive) {
    return failed({ kind: 'needs-confirmation', action: step.action });
  }
  const answer = await context.terminal.ask(`Really ${oneLine(step.action)}? [y/N] `);
  const isAgreed = /^y(es)?$/i.test(answer.trim());
  if (!isAgreed) context.output.note('Nothing was done.');
  return success(isAgreed);
}
