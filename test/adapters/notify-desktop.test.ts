import { describe, expect, it } from 'vitest';
import { createNotifier } from '../../src/adapters/notify-desktop.js';
import type { Command, CommandOutcome } from '../../src/adapters/run-command.js';
import type { Result } from '../../src/domain/result.js';
import { failed, success } from '../../src/domain/result.js';

const FINE: Result<CommandOutcome> = success({ stdout: '', stderr: '', exitCode: 0 });

function rig(input: {
  readonly command?: readonly string[];
  readonly desktop?: boolean;
  readonly platform?: NodeJS.Platform;
  readonly env?: Readonly<Record<string, string>>;
  readonly answer?: (command: Command) => Result<CommandOutcome>;
}) {
  const commands: Command[] = [];
  const records: Record<string, unknown>[] = [];
  const notifier = createNotifier({
    env: input.env ?? { PATH: '/bin', UNSET: undefined },
    platform: input.platform ?? 'linux',
    settings: () => ({
      desktop: input.desktop ?? true,
      bell: false,
      command: input.command ?? null,
    }),
    run: async (command) => {
      commands.push(command);
      return input.answer?.(command) ?? FINE;
    },
    log: { write: (record) => void records.push(record) },
  });
  return { notifier, commands, records };
}

const NOTICE = { title: 'Review', text: 'Needs you', taskId: 'abc', cause: 'review', count: 1 };

describe('notifying', () => {
  it('shows the words on the desktop, bounded in time', async () => {
    const { notifier, commands } = rig({});
    await notifier.notify(NOTICE);
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatchObject({ program: 'notify-send', timeoutMs: 3000 });
    expect(commands[0]?.argv.slice(-3)).toEqual(['--', 'Review', 'Needs you']);
  });

  it('shows words from outside as words', async () => {
    const { notifier, commands } = rig({});
    await notifier.notify({
      ...NOTICE,
      title: '--icon=/etc/passwd',
      text: '\u001B]52;c;aGk=\u0007<a href="x">\u202Eclick</a>\n\n& go',
    });
    expect(commands[0]?.argv.slice(-3)).toEqual([
      '--',
      '--icon=/etc/passwd',
      '&lt;a href="x"&gt;click&lt;/a&gt; &amp; go',
    ]);
  });

  it('asks for the program of the system alone, and no more once it is known to be missing', async () => {
    const { notifier, commands, records } = rig({
      answer: ({ program }) => failed({ kind: 'program-missing', program }),
    });
    await notifier.notify(NOTICE);
    await notifier.notify(NOTICE);
    expect(commands.map(({ program }) => program)).toEqual(['notify-send']);
    expect(records).toEqual([
      expect.objectContaining({ event: 'notify.failed', reason: 'program-missing' }),
    ]);
  });

  it('shows the words on a Mac as arguments of a script', async () => {
    const { notifier, commands } = rig({ platform: 'darwin' });
    await notifier.notify({ ...NOTICE, text: '" & (do shell script "id") & "' });
    expect(commands.map(({ program }) => program)).toEqual(['osascript']);
    expect(commands[0]?.argv.slice(-3)).toEqual(['--', 'Review', '" & (do shell script "id") & "']);
  });

  it('gives the hook its own arguments and the words in the environment', async () => {
    const { notifier, commands } = rig({ desktop: false, command: ['/opt/hook', '--loud'] });
    await notifier.notify({ ...NOTICE, text: '$(id); `id`' });
    expect(commands).toEqual([
      expect.objectContaining({
        program: '/opt/hook',
        argv: ['--loud'],
        env: {
          PATH: '/bin',
          ORANGE_NOTICE_CAUSE: 'review',
          ORANGE_NOTICE_COUNT: '1',
          ORANGE_NOTICE_TITLE: 'Review',
          ORANGE_NOTICE_TEXT: '$(id); `id`',
          ORANGE_TASK_ID: 'abc',
        },
      }),
    ]);
  });

  it('keeps from the hook what orange’s own processes tell each other', async () => {
    const marks = { ORANGE_DETACHED: '1', ORANGE_REPLACES: '7', ORANGE_FAILPOINT: 'x:kill' };
    const env = { PATH: '/bin', ORANGE_HOME: '/h', ...marks };
    const { notifier, commands } = rig({ desktop: false, command: ['hook'], env });
    await notifier.notify(NOTICE);
    const names = Object.keys(commands[0]?.env ?? {});
    expect(names.filter((name) => name in marks)).toEqual([]);
    expect(names).toContain('ORANGE_HOME');
  });

  it('logs what went wrong and does not fail', async () => {
    const { notifier, records } = rig({
      desktop: false,
      command: ['hook'],
      answer: ({ program }) =>
        failed({ kind: 'command-timed-out', program, action: 'notify', timeoutMs: 1 }),
    });
    await notifier.notify(NOTICE);
    expect(records).toEqual([
      expect.objectContaining({
        event: 'notify.failed',
        program: 'hook',
        reason: 'command-timed-out',
      }),
    ]);
  });

  it('does nothing when the settings say so', async () => {
    const { notifier, commands } = rig({ desktop: false });
    await notifier.notify(NOTICE);
    expect(commands).toEqual([]);
  });

  it('says once that a channel fails, until it has worked again', async () => {
    const outcome = { stdout: '', stderr: '', exitCode: 1 };
    const { notifier, records } = rig({
      desktop: false,
      command: ['/opt/hook'],
      answer: () => success(outcome),
    });
    await notifier.notify(NOTICE);
    await notifier.notify(NOTICE);
    expect(records).toHaveLength(1);
    outcome.exitCode = 0;
    await notifier.notify(NOTICE);
    outcome.exitCode = 1;
    await notifier.notify(NOTICE);
    expect(records).toHaveLength(2);
  });
});
