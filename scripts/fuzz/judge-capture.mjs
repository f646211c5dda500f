// What may reach a terminal of what an agent wrote: line breaks, tabs and what can be seen.
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]|\p{Surrogate}/u;
const HARNESSES = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'other'];

/** What the daemon does with the screen of an agent. */
export function readCapture(readers, text) {
  return readers.classifyScreen('other', readers.screenLines(text));
}

/** F69: a screen on its way to every place where it is shown. */
export function judgeCapture(readers, text) {
  const shown = {
    cleanText: readers.cleanText(text),
    screenLines: readers.screenLines(text).join('\n'),
    renderText: readers.renderText(text, 'plain'),
    oneScreenLine: readers.oneScreenLine(text),
    jsonText: readers.jsonText({ text }, 2),
  };
  const bad = Object.entries(shown).find(([, result]) => FORBIDDEN.test(result));
  if (bad !== undefined) return `${bad[0]} lets a control character through`;
  for (const harness of HARNESSES) readers.classifyScreen(harness, readers.screenLines(text));
  return null;
}
