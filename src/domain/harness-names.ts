/** The built-in agent programs: harness name to the program that must be on PATH. */
export const HARNESS_PROGRAMS: Readonly<Record<string, string>> = {
  claude: 'claude',
  codex: 'codex',
  opencode: 'opencode',
  pi: 'pi',
  gemini: 'gemini',
};

/** The scripted agent that orange brings along; always installed, never picked by default. */
export const DEMO_HARNESS = 'demo';
