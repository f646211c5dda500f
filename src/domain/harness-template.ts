/** What a template of a harness may ask for in braces. */
export const PLACEHOLDERS = [
  'prompt',
  'prompt_file',
  'task_file',
  'task_id',
  'branch',
  'role',
  'effort',
  'model',
  'harness_session',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** Every place in an argument that reads like a placeholder, known or not. */
export const PLACEHOLDER_PATTERN = /\{([a-z_]+)\}/g;

export function isPlaceholder(name: string | undefined): name is Placeholder {
  return (PLACEHOLDERS as readonly (string | undefined)[]).includes(name);
}

/** The first thing in braces that nothing stands for, with its braces; null when there is none. */
export function findUnknownPlaceholder(template: readonly string[]): string | null {
  for (const argument of template) {
    for (const [whole, name] of argument.matchAll(PLACEHOLDER_PATTERN)) {
      if (!isPlaceholder(name)) return whole;
    }
  }
  return null;
}

/** What may be written instead, in words for a person. */
export function listPlaceholders(): string {
  return PLACEHOLDERS.map((name) => `{${name}}`).join(' ');
}
