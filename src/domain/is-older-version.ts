/** Whether one version comes before the other; one that cannot be read comes before none. */
export function isOlderVersion(one: string, other: string): boolean {
  const [left, right] = [readVersion(one), readVersion(other)];
  if (left === null || right === null) return false;
  for (const [index, part] of left.numbers.entries()) {
    const against = right.numbers[index] ?? 0;
    if (part !== against) return part < against;
  }
  // What is marked as a preview comes before the version it leads to.
  return left.isPreview && !right.isPreview;
}

function readVersion(
  text: string,
): { readonly numbers: readonly number[]; readonly isPreview: boolean } | null {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(?:\+.*)?$/.exec(text);
  if (match === null) return null;
  return { numbers: match.slice(1, 4).map(Number), isPreview: match[4] !== undefined };
}
