import { cleanText } from '../domain/clean-text.js';
import type { Notice } from '../domain/notice.js';
import type { Result } from '../domain/result.js';
import type { Settings } from '../domain/settings.js';
import type { Log, Notifier } from '../ports.js';
import type { Command, CommandOutcome } from './run-command.js';

export type NotifierOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly settings: () => Settings['notify'];
  readonly run: (command: Command) => Promise<Result<CommandOutcome>>;
  readonly log: Log;
};

/** Tells the person by desktop notification and by the command in the settings; never fails. */
export function createNotifier(options: NotifierOptions): Notifier {
  const absent = new Set<string>();
  const troubles = new Set<string>();

  const run = async (command: Command, channel: string): Promise<void> => {
    const outcome = await options.run(command);
    if (outcome.ok && outcome.value.exitCode === 0) {
      troubles.delete(command.program);
      return;
    }
    if (!outcome.ok && outcome.failure.kind === 'program-missing') absent.add(command.program);
    const reason = outcome.ok ? `exit-code-${outcome.value.exitCode}` : outcome.failure.kind;
    // What goes on failing is said once.
    if (troubles.has(command.program)) return;
    troubles.add(command.program);
    options.log.write({
      event: 'notify.failed',
      level: 'warn',
      channel,
      program: command.program,
      reason,
    });
  };
  const showOnDesktop = async (notice: Notice): Promise<void> => {
    const words = { notice, env: environment(options.env) };
    const command = options.platform === 'darwin' ? showOnMac(words) : showOnLinux(words);
    if (!absent.has(command.program)) await run(command, 'desktop');
  };
  const runHook = async (notice: Notice, hook: readonly string[]): Promise<void> => {
    const [program, ...argv] = hook;
    if (program === undefined) return;
    const env = {
      ...environment(options.env),
      ORANGE_NOTICE_TITLE: notice.title,
      ORANGE_NOTICE_TEXT: notice.text,
      ORANGE_NOTICE_CAUSE: notice.cause,
      ORANGE_NOTICE_COUNT: String(notice.count),
      ORANGE_TASK_ID: notice.taskId ?? '',
    };
    await run({ program, argv, env, timeoutMs: HOOK_MS, action: 'notify' }, 'command');
  };

  return {
    notify: async (raw) => {
      const { desktop, command } = options.settings();
      const notice = {
        title: oneLine(raw.title, TITLE_LENGTH),
        text: oneLine(raw.text, TEXT_LENGTH),
        taskId: raw.taskId,
        cause: raw.cause,
        count: raw.count,
      };
      await Promise.all([
        desktop ? showOnDesktop(notice) : null,
        command === null ? null : runHook(notice, command),
      ]);
    },
  };
}

const DESKTOP_MS = 3000;
const HOOK_MS = 10_000;
const TITLE_LENGTH = 100;
const TEXT_LENGTH = 500;

type Words = {
  readonly notice: Notice;
  readonly env: Readonly<Record<string, string>>;
};

function showOnLinux({ notice: { title, text }, env }: Words): Command {
  const argv = ['--app-name=orange', '--', title, escapeMarkup(text)];
  return { program: 'notify-send', argv, env, timeoutMs: DESKTOP_MS, action: 'notify' };
}

function showOnMac({ notice: { title, text }, env }: Words): Command {
  // The words travel as arguments: as part of the script they could end the string they stand in.
  const script =
    'on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend';
  const argv = ['-e', script, '--', title, text];
  return { program: 'osascript', argv, env, timeoutMs: DESKTOP_MS, action: 'notify' };
}

/** Most notification daemons read the text as markup. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function oneLine(text: string, length: number): string {
  return cleanText(text).replace(/\s+/g, ' ').trim().slice(0, length);
}

/** The daemon's environment, without what orange's own processes tell each other. */
function environment(env: NotifierOptions['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || INTERNAL.has(name) ? [] : [[name, value]],
    ),
  );
}

const INTERNAL: ReadonlySet<string> = new Set([
  'ORANGE_DETACHED',
  'ORANGE_REPLACES',
  'ORANGE_FAILPOINT',
]);
