import { describe, expect, it } from 'vitest';
import { formatEvent } from '../../src/cli/format-event.js';
import { formatFinding } from '../../src/cli/format-doctor.js';
import { formatLogLine } from '../../src/cli/format-log-line.js';
import {
  formatAge,
  formatStanding,
  formatTaskFields,
  formatTaskList,
  nameBlockers,
} from '../../src/cli/format-task.js';
import { createOutput } from '../../src/cli/output.js';
import { createProcessOutput } from '../../src/cli/process-output.js';
import { paint } from '../../src/cli/paint.js';
import { clip, formatTable } from '../../src/cli/table.js';
import { textWidth } from '../../src/domain/clean-text.js';
import { toTaskJson } from '../../src/domain/task-view.js';
import { NOW, taskView } from '../tui/task-views.js';

const LAYOUT = { columns: 80, dir: '/t' };

const ESC = '\u001b';

function rig(options: { form?: 'json' | 'human'; isLive?: boolean; colors?: boolean } = {}) {
  const out: string[] = [];
  const err: string[] = [];
  let now = 0;
  const timers = new Map<() => void, number>();
  const colors = options.colors === true ? 'colors' : 'plain';
  const output = createOutput({
    form: options.form ?? 'human',
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    columns: 80,
    errColumns: 80,
    outColors: colors,
    errColors: colors,
    isLive: options.isLive ?? false,
    nowMs: () => now,
    later: (ms, run) => {
      timers.set(run, now + ms);
      return () => timers.delete(run);
    },
  });
  return {
    output,
    stdout: () => out.join(''),
    stderr: () => err.join(''),
    pass: (ms: number) => {
      now += ms;
      for (const [run, dueMs] of timers) {
        if (dueMs <= now && timers.delete(run)) run();
      }
    },
  };
}

describe('a result', () => {
  it('is text for people and JSON for programs', () => {
    const human = rig();
    human.output.result([1], () => 'one');
    expect(human.stdout()).toBe('one\n');
    const json = rig({ form: 'json' });
    json.output.result([1], () => 'one');
    expect(JSON.parse(json.stdout())).toEqual([1]);
  });

  it('cannot steer the terminal, whatever an agent wrote', () => {
    const hostile = `a${ESC}[2Jb${ESC}]52;c;xx\u0007c\u009b31md\u202ee\rf`;
    const human = rig({ colors: true });
    human.output.result(null, () => paint('green', hostile));
    expect(human.stdout()).toBe(`${ESC}[32mabcdef${ESC}[0m\n`);
    const json = rig({ form: 'json' });
    json.output.result({ text: hostile }, () => '');
    expect(json.stdout()).not.toMatch(/[\p{Cf}\u0080-\u009f]/u);
    expect(json.stdout()).not.toContain(ESC);
    expect(JSON.parse(json.stdout())).toEqual({ text: hostile });
  });

  it('has no colours where they are not wanted', () => {
    const human = rig();
    human.output.result(null, () => paint('red', 'no'));
    expect(human.stdout()).toBe('no\n');
  });
});

describe('a failure', () => {
  it('goes to stderr with its hint, or to stdout as JSON', () => {
    const human = rig();
    human.output.failure({ kind: 'program-missing', program: 'tmux' });
    expect(human.stdout()).toBe('');
    expect(human.stderr()).toBe(
      'orange: The program "tmux" is not on PATH.\n  Install tmux, then check with: orange doctor\n',
    );
    const json = rig({ form: 'json' });
    json.output.failure({ kind: 'program-missing', program: 'tmux' });
    expect(JSON.parse(json.stdout())).toEqual({
      error: {
        code: 'program-missing',
        message: 'The program "tmux" is not on PATH.',
        hint: 'Install tmux, then check with: orange doctor',
      },
    });
    expect(json.stderr()).toBe('');
  });
});

describe('progress', () => {
  it('leaves the line to whatever is shown next', () => {
    const live = rig({ isLive: true });
    live.output.progress('Starting the daemon');
    live.output.endProgress();
    expect(live.stderr().endsWith(`\r${ESC}[K`)).toBe(true);
    live.output.endProgress();
    expect(live.stderr().split(`${ESC}[K`)).toHaveLength(3);
  });

  it('is drawn in place on a terminal and wiped before the result', () => {
    const live = rig({ isLive: true });
    live.output.progress('Fetching');
    live.output.progress('Resetting');
    live.output.result(null, () => 'done');
    expect(live.stderr()).toBe(`\r${ESC}[KFetching …\r${ESC}[KResetting …\r${ESC}[K`);
    expect(live.stdout()).toBe('done\n');
  });

  it('is told to others only when it takes longer than a second', () => {
    const plain = rig();
    plain.output.progress('Fetching');
    plain.output.progress('Setting up');
    plain.pass(900);
    expect(plain.stderr()).toBe('');
    plain.pass(100);
    expect(plain.stderr()).toBe('Setting up …\n');
    plain.pass(500);
    plain.output.progress('Resetting');
    expect(plain.stderr()).toBe('Setting up …\nResetting …\n');
  });

  it('is not told to others once there is an ending', () => {
    const done = rig();
    done.output.progress('Fetching');
    done.output.result(null, () => 'done');
    done.pass(2000);
    expect(done.stderr()).toBe('');
    const broken = rig();
    broken.output.progress('Fetching');
    broken.output.failure({ kind: 'program-missing', program: 'tmux' });
    broken.pass(2000);
    expect(broken.stderr()).not.toContain('Fetching');
  });

  it('keeps quiet in JSON', () => {
    const json = rig({ form: 'json', isLive: true });
    json.output.progress('Fetching');
    json.output.note('Registered');
    expect(json.stderr()).toBe('');
  });
});

describe('tables', () => {
  it('fit the width, and only the flexible column gives way', () => {
    const text = formatTable(
      [
        ['a', 'x'.repeat(200), 'end'],
        ['bbb', 'short', 'end'],
      ],
      { columns: 40, flexible: 1 },
    );
    const lines = text.split('\n');
    expect(lines.map(textWidth)).toEqual([40, 40]);
    expect(lines[0]).toMatch(/^a {3}x+… end$/);
  });

  it('count wide characters twice', () => {
    expect(clip('日本語テキスト', 7)).toBe('日本語…');
    const text = formatTable(
      [
        ['日本', 'x'],
        ['ab', 'y'],
      ],
      { columns: 40, flexible: 0 },
    );
    expect(text).toBe('日本 x\nab   y');
  });

  it('a list of tasks fits 80 columns whatever the names are', () => {
    const tasks = [
      taskView({ fields: { branch: 'b'.repeat(200), summary: 's'.repeat(500) } }),
      taskView({ fields: { summary: 'two\nlines\tand tabs', status: 'agent-review' } }),
      taskView({ fields: { workspace: null, status: 'pending' }, session: 'inactive' }),
    ];
    const lines = formatTaskList(tasks, { columns: 80, nowMs: NOW }).split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(textWidth(line.replace(/[\ue000-\ue00f]/g, ''))).toBeLessThanOrEqual(80);
    }
    expect(lines[1]).toContain('two lines and');
  });
});

// Colours are private-use characters until they are printed.
const unpainted = (text: string): string => text.replace(/[\uE000-\uE0FF]/gu, '');

const attention = (kind: 'quiet' | 'stalled' | 'waiting-for-human') =>
  taskView({ attention: { kind, since: new Date(NOW - 720_000).toISOString(), reason: 'why' } });

describe('a list of tasks', () => {
  it.each([
    ['quiet', /^● .*\(quiet for 12m\)/],
    ['stalled', /^●! /],
    ['waiting-for-human', /^●! /],
  ] as const)('F63 marks an agent that is %s', (kind, line) => {
    const list = formatTaskList([attention(kind)], { columns: 120, nowMs: NOW });
    expect(unpainted(list)).toMatch(line);
  });

  it('has what is said of the agent in JSON too, and nothing where there is nothing', () => {
    expect(toTaskJson(attention('stalled'))).toMatchObject({
      session: 'active',
      attention: { kind: 'stalled', reason: 'why' },
    });
    expect(toTaskJson(taskView())).not.toHaveProperty('attention');
  });

  it('is explained by task show', () => {
    const shown = formatTaskFields(attention('stalled'), { nowMs: NOW, tasks: [] });
    expect(unpainted(shown)).toContain('stalled for 12m: why');
  });
});

describe('narrow screens', () => {
  it.each([20, 40, 60])('a list of tasks fits %i columns', (columns) => {
    const tasks = [
      taskView({ fields: { branch: 'b'.repeat(50), status: 'clarification' } }),
      taskView({ fields: { status: 'agent-review' } }),
    ];
    for (const line of formatTaskList(tasks, { columns, nowMs: NOW }).split('\n')) {
      const seen = line.replace(/[\ue000-\ue00f]/g, '');
      expect(textWidth(seen)).toBeLessThanOrEqual(columns);
      expect(seen).toBe(seen.trimEnd());
    }
  });
});

describe('what no terminal shows', () => {
  const columns = Number.POSITIVE_INFINITY;
  const long = 'x'.repeat(200);

  it('has every name and summary whole', () => {
    const tasks = [taskView({ fields: { branch: long, summary: `${long} end` } })];
    const list = unpainted(formatTaskList(tasks, { columns, nowMs: NOW }));
    expect(list).toContain(`shop/${long} `);
    expect(list).toContain(`${long} end abc00000`);
  });

  it('has one line for each event and finding', () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    const event = { type: 'agent.ended', timestamp: '2026-01-02T12:00:00Z', reason: words };
    expect(formatEvent(event, { columns, dir: '/t' })).toContain(`reason=${words}`);
    const finding = { check: 'settings', level: 'warn', message: words, remedy: null } as const;
    expect(formatFinding(finding, columns)).toContain(words);
  });

  it.each([
    [true, 120, 120],
    [true, 0, 80],
    [true, 10, 40],
    [false, undefined, columns],
  ])('a terminal (%s) of %s columns has lines of %s', (isTTY, width, expected) => {
    const stdout = { isTTY, columns: width };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const host = { stdout, stderr: { isTTY: false }, env: {} } as NodeJS.Process;
    expect(createProcessOutput(host, 'human').columns).toBe(expected);
  });
});

describe('a history for people', () => {
  const event = { type: 'agent.ended', timestamp: '2026-01-02T12:00:00Z' };

  it('keeps every value whole and wraps sentences', () => {
    const dir = `/home/somebody/orange/tasks/shop/${'x'.repeat(60)}`;
    const transcript = 'transcripts/worker-1.log';
    const reason = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ');
    const lines = formatEvent({ ...event, transcript, reason }, { columns: 80, dir }).split('\n');
    expect(lines.join('\n')).toContain(`transcript=${dir}/${transcript}`);
    expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(`reason=${reason}`);
    for (const line of lines) {
      expect(line).toBe(line.trimEnd());
      if (!line.includes('transcript=')) expect(textWidth(line)).toBeLessThanOrEqual(82);
    }
  });

  it('says in words why a claim was rejected', () => {
    const rejected = { ...event, type: 'frontmatter.rejected', field: 'status', value: 'done' };
    expect(formatEvent({ ...rejected, reason: 'needs-merge' }, LAYOUT)).toContain(
      'reason=the work is not merged yet',
    );
    expect(formatEvent({ ...rejected, reason: 'something else' }, LAYOUT)).toContain(
      'reason=something else',
    );
  });
});

describe('the fields of a task', () => {
  it('lists tags, and blockers by their names', () => {
    const task = taskView({ extensions: { tags: ['a', 'b'], blocked_by: ['abc1', 'gone'] } });
    const blocker = taskView({ fields: { id: 'abc1', branch: 'first' } });
    const shown = formatTaskFields(task, { nowMs: NOW, tasks: [task, blocker] });
    const text = shown.replace(/[\ue000-\ue00f]/g, '');
    expect(text).toMatch(/^tags +a, b$/m);
    expect(text).toMatch(/^blocked_by +shop\/first, gone$/m);
  });

  it.each([
    ['hold', 'release', {}],
    ['release', 'hold', { hold: 'later' }],
  ] as const)('offers to %s and not to %s, with %j', (offered, other, extensions) => {
    const task = taskView({ fields: { status: 'pending' }, session: 'inactive', extensions });
    const [can = ''] =
      /^can .*$/m.exec(unpainted(formatTaskFields(task, { nowMs: NOW, tasks: [] }))) ?? [];
    expect(can).toContain(offered);
    expect(can).not.toContain(other);
  });

  it('reasons name the task that blocks', () => {
    const message = 'blocked by abc1 (working)';
    const task = taskView({ reasons: [{ code: 'blocked', message }] });
    const blocker = taskView({ fields: { id: 'abc1', branch: 'first' } });
    expect(nameBlockers(task, [task, blocker]).reasons).toEqual([
      { code: 'blocked', message: 'blocked by shop/first (working)' },
    ]);
  });
});

describe('formats', () => {
  it.each([
    ['2026-01-02T11:59:30Z', '30s'],
    ['2026-01-02T11:00:00Z', '1h'],
    ['2025-12-30T12:00:00Z', '3d'],
    ['2026-01-02T12:10:00Z', '0s'],
    ['never', '–'],
  ])('the age of %s is %s', (since, expected) => {
    expect(formatAge(since, NOW)).toBe(expected);
  });

  it('an event shows its move first', () => {
    const event = {
      type: 'status.changed',
      timestamp: '2026-01-02T12:00:00Z',
      from: 'working',
      to: 'agent-review',
      by: 'agent',
    };
    expect(formatEvent(event, LAYOUT)).toContain(
      'status.changed    working → agent-review  by=agent',
    );
  });

  it.each([
    ['error', 'error'],
    ['warn', 'warn '],
    ['info', 'info '],
    ['debug', 'debug'],
    ['constructor', 'info '],
  ])('a log record of level %s shows it, with event and facts', (level, shown) => {
    const record = { level, time: NOW, event: 'effect.failed', pid: 1, hostname: 'h', task: 'x' };
    expect(formatLogLine(record, '', 80).replace(/[\ue000-\ue00f]/g, '')).toBe(
      `2026-01-02 12:00:00 ${shown} effect.failed task=x`,
    );
  });
});

it('a line of the doctor fits the screen, however long the name of its class', () => {
  const message = 'shop/dark-mode is working and no agent works on it, and nobody starts one';
  const found = { check: 'task-without-session', message, remedy: message } as const;
  const text = formatFinding({ ...found, level: 'warn' }, 60).replace(/[\ue000-\ue00f]/g, '');
  expect(text.split('\n').every((line) => textWidth(line) <= 60)).toBe(true);
  expect(text.replace(/\s+/g, ' ')).toBe(`warn task-without-session ${message} ${message}`);
});

it('where a task stands does not say twice that it waits', () => {
  const reasons = ['waits for your review', 'held: later'].map((message) => ({
    code: 'x',
    message,
  }));
  expect(formatStanding(taskView({ fields: { workspace: null }, reasons }))).toMatch(
    /\n {2}waits for your review\n {2}waits: held: later$/,
  );
});
