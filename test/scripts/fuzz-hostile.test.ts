import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Judge = (...found: readonly unknown[]) => readonly string[];
type Text = { readonly number: number; readonly family: string; readonly text: string };
type Said = Readonly<Record<string, string>>;

const { hostileTexts, TEXT_COUNT } = await loadScript<{
  hostileTexts: (watch: string) => readonly Text[];
  TEXT_COUNT: number;
}>('../fuzz/hostile/texts');
const { FIELDS, textsOfCase, whereText } = await loadScript<{
  FIELDS: readonly string[];
  textsOfCase: (texts: readonly Text[], number: number) => Said;
  whereText: (text: number, numbers: readonly number[]) => string;
}>('../fuzz/hostile/fields');
const record = await loadScript<Record<'judgeTaskFile' | 'judgeHistory' | 'judgeLog', Judge>>(
  '../fuzz/hostile/judge-record',
);
const { judgeRunFiles } = await loadScript<{ judgeRunFiles: Judge }>(
  '../fuzz/hostile/judge-record',
);
const shown = await loadScript<
  Record<
    'judgeTerminal' | 'judgeJson' | 'judgeScreenStream' | 'judgeTranscript' | 'judgeNotice',
    Judge
  >
>('../fuzz/hostile/judge-shown');
const outside = await loadScript<
  Record<
    | 'judgeCall'
    | 'judgeWindows'
    | 'judgePrompt'
    | 'judgeTyped'
    | 'judgeEnvironment'
    | 'judgeRepository',
    Judge
  >
>('../fuzz/hostile/judge-outside');

const SAID: Said = {
  summary: 'a: $(b)',
  branch: 'feat/#(x)',
  project: 'null',
  context: 'Why `x`',
  sections: 'by; hand',
  question: 'Which | one?',
  answer: 'That && one',
  feedback: 'Not so',
  screen: 'ready; x',
  path: 'a/$(b)',
  tag: '%s',
};
const ABOUT = { id: 'T1', status: 'done', said: SAID };

describe('the hostile texts', () => {
  it('G5 are 150, and in all cases each of them stands once in each field', () => {
    const texts = hostileTexts('/w');
    expect(texts).toHaveLength(150);
    expect(TEXT_COUNT).toBe(150);
    expect(new Set(texts.map(({ text }) => text)).size).toBe(150);
    const cases = texts.map(({ number }) => textsOfCase(texts, number));
    for (const field of FIELDS) {
      expect(new Set(cases.map((given) => given[field])).size, field).toBe(150);
    }
  });

  it('leave a file of their own behind where a shell reads them', () => {
    const watch = mkdtempSync(join(tmpdir(), 'oc-'));
    for (const { text } of hostileTexts(watch).filter(({ family }) => family === 'shell')) {
      spawnSync('/bin/sh', ['-c', `echo x ${text}`], { cwd: watch });
    }
    const left = readdirSync(watch).filter((name) => /^\d+$/.test(name));
    rmSync(watch, { recursive: true });
    expect(left.length).toBeGreaterThan(12);
    expect(whereText(21, [4])).toBe('text 21 (branch of case 4)');
  });
});

const FRONTMATTER = [
  'id: T1',
  'project: "null"',
  "branch: 'feat/#(x)'",
  'harness: noting',
  'review_harness: noting',
  'status: done',
  'review_round: 1',
  'crash_count: 0',
  "summary: 'a: $(b)'",
  'workspace: null',
  'tmux_session: null',
  'pr_url: null',
  'created_at: x',
  'updated_at: x',
  'tags: ["%s"]',
];
const BODY = [
  '## Context\n\nWhy `x`',
  '## Questions\n\n1. Which | one?',
  '## Answers\n\n1. That && one',
  '## Plan\n\nAPPROACH: by; hand',
  '## Handoff\n\nDONE: by; hand',
  '## Review\n\nVerdict: FAIL\n\nNot so',
];
const TASK = ['---', ...FRONTMATTER, '---', '', BODY.join('\n\n'), ''].join('\n');
const MOVES = [
  ['pending', 'planning', 'clarification', 'planning', 'working', 'agent-review', 'reviewing'],
  ['working', 'stuck', 'reviewing', 'done'],
].flat();
const HISTORY = [
  { type: 'task.created', task_id: 'T1', project: 'null', branch: 'feat/#(x)' },
  { type: 'question.answered', text: 'That && one' },
  ...MOVES.slice(1).map((to, index) => ({ type: 'status.changed', from: MOVES[index], to })),
];

function judgeEdited(from: string, to: string): readonly string[] {
  return record.judgeTaskFile(TASK.replace(from, to), ABOUT);
}

describe('what the record says', () => {
  it('G5 is complained of where TASK.md has another text, key, heading or status', () => {
    expect(judgeEdited('', '')).toEqual([]);
    expect(judgeEdited('$(b)', 'ran')).toMatchObject([expect.stringContaining('summary is')]);
    expect(judgeEdited('pr_url', 'status2')).toMatchObject([expect.stringContaining('keys is')]);
    expect(judgeEdited('Why `x`', 'Why `x`\n\n## Plan\n\nx')).toMatchObject([
      expect.stringContaining('headings is'),
      'Plan does not say what was said',
    ]);
    expect(judgeEdited('status: done', 'status: stuck')).toHaveLength(1);
    expect(judgeEdited('Not so', 'Not')).toEqual(['Review does not say what was said']);
    expect(judgeEdited('"%s"', '"%s", x')).toHaveLength(1);
  });

  it('G5 is complained of where a history has another move, answer or task', () => {
    const judge = (...more: readonly object[]): readonly string[] =>
      record.judgeHistory(linesOf([...HISTORY, ...more]), ABOUT);
    expect(judge()).toEqual([]);
    expect(judge({ type: 'auto.advanced', from: 'done', to: 'done' })).toHaveLength(1);
    expect(judge({ type: 'context.restored' })).toHaveLength(1);
    const other = { ...ABOUT, said: { ...SAID, answer: 'This' } };
    expect(record.judgeHistory(linesOf(HISTORY), other)).toHaveLength(1);
    expect(record.judgeHistory(linesOf(HISTORY), { ...ABOUT, id: 'T2' })).toHaveLength(1);
  });

  it('G5 is complained of where a line of the log or a file of a run is broken', () => {
    expect(record.judgeLog('{"event":"loop.started"}\n')).toEqual([]);
    expect(record.judgeLog('{"event":"x"}\ntouch x\n')).toHaveLength(1);
    expect(judgeRunFiles([{ name: 'worker.pid', text: '{}' }])).toEqual([]);
    expect(judgeRunFiles([{ name: 'worker.exit', text: '{"a":"\n' }])).toHaveLength(1);
    expect(judgeRunFiles([{ name: '$(x)', text: '' }])).toHaveLength(1);
  });
});

describe('what is shown', () => {
  it('G5 is complained of where a terminal would obey it, or lacks the words', () => {
    const words = { summary: SAID['summary'] };
    expect(shown.judgeTerminal('✓ a:\n  $(b)\n', words)).toEqual([]);
    expect(shown.judgeTerminal('a: ran', words)).toEqual(['does not show the summary']);
    const forbidden = [
      '\u001b[31m',
      '\u0007',
      '\b',
      '\r',
      '\u009b2J',
      '\u202e',
      '\u200b',
      '\u2028',
    ];
    for (const each of forbidden) {
      expect(shown.judgeTerminal(`a: $(b)${each}`, words)).toHaveLength(1);
    }
    expect(shown.judgeTranscript('ready; y', { said: SAID })).toHaveLength(1);
    const notice = { ORANGE_NOTICE_TITLE: 'x', ORANGE_NOTICE_TEXT: 'y\nz' };
    expect(shown.judgeNotice(notice)).toEqual(['has more than one line']);
  });

  it('G5 is complained of where a dashboard writes more than a dashboard needs', () => {
    const frame = '\u001b[?1049h\u001b[2K\u001b[1A\u001b[38;5;3mtask\u001b[39m\r\n';
    expect(shown.judgeScreenStream(`${frame}\u001b]9;one needs you\u001b\\\u0007`)).toEqual([]);
    for (const each of [
      '\u001b]0;x\u0007',
      '\u001b]52;c;eA==\u0007',
      '\u001b[6n',
      '\u001bPx',
      '\b',
    ]) {
      expect(shown.judgeScreenStream(`${frame}${each}`), each).toHaveLength(1);
    }
  });

  it('G5 is complained of where JSON says something else', () => {
    const sections = {
      Context: SAID['context'],
      Questions: '1. Which | one?',
      Answers: '1. That && one',
      Plan: 'APPROACH: by; hand',
      Review: 'Not so',
    };
    const task = { id: 'T1', ...SAID, tags: ['%s'], sections };
    const judge = (more: object): readonly string[] =>
      shown.judgeJson(JSON.stringify({ ...task, ...more }), ABOUT);
    expect(judge({})).toEqual([]);
    expect(judge({ branch: 'feat/' })).toHaveLength(1);
    expect(judge({ sections: { ...sections, Review: '' } })).toEqual([
      'Review is not the feedback',
    ]);
    expect(judge({ x: '\u202e' })).toEqual(['lets U+202E through']);
    expect(shown.judgeJson('{"id":', ABOUT)).toEqual(['is no JSON']);
  });
});

describe('what is handed to others', () => {
  it('G5 is complained of where a prompt or a paste differs, or breaks out', () => {
    const about = { file: '/p', words: { summary: SAID['summary'] } };
    const prompt = '> a: $(b)\n';
    const judge = (found: object): readonly string[] =>
      outside.judgePrompt({ argument: prompt, read: prompt, kept: prompt, ...found }, about);
    expect(judge({})).toEqual([]);
    expect(judge({ argument: prompt.trimEnd() })).toEqual(['the argument is not the prompt']);
    expect(judge({ kept: 'x' })).toHaveLength(1);
    const typed = '\u001b[200~a: $(b)\u001b[201~\r';
    expect(outside.judgeTyped(typed, about.words)).toEqual([]);
    expect(outside.judgeTyped(`${typed}touch x\r`, about.words)).toHaveLength(1);
    expect(outside.judgeTyped(typed.replace('$', '\u001b[201~\r'), {})).not.toEqual([]);
    expect(outside.judgeTyped(typed.replace('$', '\u0003'), {})).toHaveLength(1);
  });

  it('G5 is complained of where processes, variables or the repository have more', () => {
    const row = 'null/feat\tworker\t/bin/sh /launcher.sh';
    expect(outside.judgeWindows([row], 'null/feat')).toEqual([]);
    expect(outside.judgeWindows([row.replace('worker', '$(x)')], 'null/feat')).toHaveLength(1);
    expect(outside.judgeWindows([row], '#(x)')).toHaveLength(2);
    expect(outside.judgeCall(['git', 'log', 'x/w/1', '--', '-x/w/1'], '/w/')).toEqual([]);
    expect(outside.judgeCall(['git', 'log', '--output=/w/1'], '/w/')).toHaveLength(1);
    expect(outside.judgeCall(['tmux', 'display', 'touch /w/1 ;'], '/w/')).toHaveLength(1);
    const facts = {
      ORANGE_TASK_ID: 'T1',
      ORANGE_BRANCH: SAID['branch'],
      ORANGE_PROJECT: 'null',
    };
    const known = { ...ABOUT, inherited: ['HOME'] };
    expect(outside.judgeEnvironment({ ...facts, HOME: '/' }, known)).toEqual([]);
    expect(outside.judgeEnvironment({ ...facts, LD_PRELOAD: '/x' }, known)).toHaveLength(1);
    expect(outside.judgeEnvironment({ ...facts, ORANGE_BRANCH: 'x' }, known)).toHaveLength(1);
    const merged = {
      message: 'a: $(b)\n\nOrange-Task: T1\n',
      paths: ['README.md', 'a/$(b)'],
      refs: ['refs/heads/main', 'refs/orange/merged/T1'],
      settings: ['core.bare=false'],
      wantedSettings: ['core.bare=false'],
    };
    const judge = (more: object): readonly string[] =>
      outside.judgeRepository({ ...merged, ...more }, ABOUT);
    expect(judge({})).toEqual([]);
    expect(judge({ message: 'a: $(b)\n\nOrange-Task: T2\n' })).toHaveLength(1);
    expect(judge({ paths: ['README.md'] })).toHaveLength(1);
    expect(judge({ refs: ['refs/heads/x'] })).toEqual(['there is a ref refs/heads/x']);
    expect(judge({ settings: ['core.pager=x'] })).toHaveLength(1);
  });
});

function linesOf(events: readonly object[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}
