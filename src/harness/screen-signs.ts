/** What an agent's screen shows it to be doing, as far as its signs are known. */
export type ScreenState =
  | 'working'
  | 'asks-permission'
  | 'asks-trust'
  | 'asks-question'
  | 'needs-login'
  | 'out-of-quota'
  | 'idle'
  | 'unknown';

/** The state in which all of these are found on the last lines of the screen. */
type Sign = { readonly state: ScreenState; readonly all: readonly RegExp[] };

/** What an agent waits for, in words that follow its name; null when it waits for nobody. */
export function waitingReason(state: ScreenState): string | null {
  switch (state) {
    case 'asks-permission':
      return 'its agent asks for permission';
    case 'asks-trust':
      return 'its agent asks whether it may trust the folder';
    case 'asks-question':
      return 'its agent asks something in its terminal';
    case 'needs-login':
      return 'its agent asks to be logged in';
    case 'out-of-quota':
      return 'its agent has used up its quota';
    case 'idle':
      return 'its agent has ended its turn and waits for a word';
    case 'working':
    case 'unknown':
      return null;
  }
}

/**
 * What a screen shows, told by the first sign of the harness that fits. Only the end of the screen
 * counts: what was asked and answered further up is over.
 */
export function classifyScreen(harness: string, lines: readonly string[]): ScreenState {
  const shown = lines.filter((line) => line.trim() !== '');
  const end = shown.slice(-LINES_THAT_COUNT).join('\n');
  const sign = signsOf(harness).find(({ all }) => all.every((pattern) => pattern.test(end)));
  if (sign !== undefined) return sign.state;
  // A prompt that somebody has answered has something behind it.
  const last = shown.at(-1) ?? '';
  return (
    ANY_PROGRAM.find(({ all }) => all.every((pattern) => pattern.test(last)))?.state ?? 'unknown'
  );
}

/**
 * A program without signs of its own may be one of the others in disguise. It never counts as idle,
 * since what it would do with what is typed is not known.
 */
function signsOf(harness: string): readonly Sign[] {
  if (Object.hasOwn(SIGNS, harness)) return SIGNS[harness] ?? [];
  return Object.values(SIGNS)
    .flat()
    .filter(({ state }) => state !== 'idle');
}

const LINES_THAT_COUNT = 16;

// A list to choose from, with its first choice marked.
const CHOICE = /^[\s│┃]*[❯›●>]\s*\d\.\s/mu;

const SIGNS: Readonly<Record<string, readonly Sign[]>> = {
  claude: [
    { state: 'asks-trust', all: [/\btrust (?:this folder|the files in this folder)/iu, CHOICE] },
    { state: 'asks-question', all: [/Enter to select\b/u, CHOICE] },
    {
      state: 'asks-permission',
      all: [/Do you want to (?:proceed|make|create|allow)|Would you like to proceed/u, CHOICE],
    },
    { state: 'needs-login', all: [/Select login method|Choose the text style/u] },
    { state: 'working', all: [/\besc to interrupt\b/iu] },
    { state: 'out-of-quota', all: [/\blimit reached\b|\bhit your .{0,20}limit\b/iu] },
    { state: 'idle', all: [/^[❯>](?:\s|$)/mu, /shift\+tab to cycle|\? for shortcuts/u] },
  ],
  codex: [
    {
      state: 'asks-trust',
      all: [/Trust this folder\?|Do you trust the contents|to work in this folder/u, CHOICE],
    },
    { state: 'asks-permission', all: [/Would you like to \w+|Allow command\?/u, CHOICE] },
    { state: 'asks-question', all: [/enter to submit answer/iu] },
    { state: 'needs-login', all: [/Sign in with ChatGPT/u, CHOICE] },
    { state: 'working', all: [/\besc to interrupt\b/iu] },
    { state: 'out-of-quota', all: [/\bhit your usage limit\b/iu] },
    { state: 'idle', all: [/^› /mu, /\? for shortcuts|\bcontext left\b/u] },
  ],
  opencode: [
    { state: 'asks-permission', all: [/Permission required/u, /Allow once/u] },
    { state: 'asks-question', all: [/\besc dismiss\b/u] },
    { state: 'working', all: [/\besc (?:again to )?interrupt\b/u] },
    { state: 'idle', all: [/\bctrl\+p commands\b/u] },
  ],
  gemini: [
    { state: 'asks-trust', all: [/Do you trust (?:the files in )?this folder\?/u, CHOICE] },
    {
      state: 'asks-permission',
      all: [/Allow execution of|Apply this change\?|Do you want to proceed\?/u, CHOICE],
    },
    { state: 'needs-login', all: [/How would you like to authenticate|Enter Gemini API Key/u] },
    { state: 'working', all: [/\(esc to cancel\b/u] },
    { state: 'idle', all: [/^\s*[>!*]\s+Type your message/mu] },
  ],
  pi: [
    { state: 'working', all: [/^\s*[⠀-⣿]\s+\S.*(?:…|\.\.\.)/mu] },
    { state: 'idle', all: [/\d%\/[\d.]+[kM]?\b/u] },
  ],
  demo: [
    { state: 'asks-question', all: [/^Waiting for an answer\.\s*$(?![^]*\S)/mu] },
    { state: 'idle', all: [/^Waiting\. Tell me something and I act on it\.\s*$(?![^]*\S)/mu] },
  ],
};

const ANY_PROGRAM: readonly Sign[] = [
  {
    state: 'asks-question',
    all: [/(?:\[y\/n\]|\(y\/n\)|\(yes\/no(?:\/\[fingerprint\])?\))[\s?:>]*$/iu],
  },
  { state: 'needs-login', all: [/(?:password|passphrase|username)\b[^\n]{0,120}:\s*$/iu] },
];
