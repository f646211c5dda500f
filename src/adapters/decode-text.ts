/** Bytes as UTF-8 text, byte order mark included; strictly, null when they are none. */
export function decodeText(bytes: Uint8Array, decoding: 'strict' | 'lossy'): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: decoding === 'strict', ignoreBOM: true }).decode(
      bytes,
    );
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Whether bytes are one complete JSON object. */
export function isJsonObject(bytes: Uint8Array): boolean {
  const text = decodeText(bytes, 'strict');
  if (text === null || !text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
