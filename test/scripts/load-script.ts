/** Loads a script, which has no types of its own, as what the test says it exports. */
export async function loadScript<Exports>(name: string): Promise<Exports> {
  const url = new URL(`../../scripts/lib/${name}.mjs`, import.meta.url);
  const loaded: Exports = await import(url.href);
  return loaded;
}
