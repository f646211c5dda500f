/**
 * Whether a text can be the id of an agent program's conversation. It comes from outside and becomes
 * part of an argv: it begins with no dash, and holds nothing that a path, a shell or a line could read.
 */
export function isConversationId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{7,127}$/.test(text);
}

export const CONVERSATION_ID_RULE =
  '8 to 128 letters, digits, dashes and underscores, no dash or underscore first';
