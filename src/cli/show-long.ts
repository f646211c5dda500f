import type { CommandContext } from './command-context.js';

/** Gives a result; a person sees text that is longer than the screen in their pager, if they want one. */
export async function showLong(
  { output, terminal }: Pick<CommandContext, 'output' | 'terminal'>,
  { value, text }: { readonly value: unknown; readonly text: string },
  wish: { readonly pager: boolean },
): Promise<void> {
  const isPaged =
    output.form === 'human' && wish.pager && (await terminal.page(`${output.render(text)}\n`));
  if (!isPaged) output.result(value, () => text);
}
