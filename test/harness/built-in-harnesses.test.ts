import { describe, expect, it } from 'vitest';
import { success } from '../../src/domain/result.js';
import { claude } from '../../src/harness/claude.js';
import { CLAUDE_HOOKS } from '../../src/harness/claude-hooks.js';
import { codex } from '../../src/harness/codex.js';
import { demoHarness } from '../../src/harness/demo.js';
import { gemini } from '../../src/harness/gemini.js';
import { HOOK_REPORTS } from '../../src/harness/hook-report.js';
import { opencode } from '../../src/harness/opencode.js';
import { pi } from '../../src/harness/pi.js';
import type { Harness } from '../../src/harness/harness.js';
import { assignment } from './assignment.js';

const ID = '0b8f0a52-0f3e-4b57-8e8b-4d0a6f5f1c11';
const DIR = '/home/u/orange/tasks/p/T1';
const READ_TOOLS =
  'Bash(git status:*),Bash(git diff:*),Bash(git log:*),Bash(git show:*),Bash(orange task update:*),Bash(orange task show:*),Bash(orange task ask:*),Bash(orange task report:*)';
const WORK_TOOLS = `Bash(git add:*),Bash(git commit:*),${READ_TOOLS}`;

const first = assignment({ harnessSession: ID });
const resumed = assignment({ harnessSession: ID, isResuming: true });
const resumedWithoutId = assignment({ isResuming: true });
const tuned = assignment({ model: 'big one', effort: 'high' });
const review = assignment({ role: 'reviewer', harnessSession: ID, isResuming: true });

const codexOptions = [
  '--sandbox=workspace-write',
  '--ask-for-approval=on-request',
  `--add-dir=${DIR}`,
  `--config=notify=${JSON.stringify(['orange', ...HOOK_REPORTS.turnOver])}`,
];
const piOptions = ['pi', '--extension', '/home/u/orange/run/hooks/pi-orange.js'];
const claudeOptions = (tools: string): readonly string[] => [
  'claude',
  `--add-dir=${DIR}`,
  `--allowedTools=${tools}`,
];
const claudeEnd = [`--settings=${CLAUDE_HOOKS}`, '--permission-mode=acceptEdits'];
const geminiOptions = ['gemini', `--include-directories=${DIR}`, '--approval-mode=auto_edit'];

const TABLE: readonly (readonly [string, Harness, typeof first, readonly string[]])[] = [
  [
    'claude begins with the id it is given',
    claude,
    first,
    [...claudeOptions(WORK_TOOLS), `--session-id=${ID}`, ...claudeEnd, 'Do it.'],
  ],
  [
    'claude resumes by id',
    claude,
    resumed,
    [...claudeOptions(WORK_TOOLS), `--resume=${ID}`, ...claudeEnd, 'Do it.'],
  ],
  [
    'claude begins anew when the id is not known',
    claude,
    resumedWithoutId,
    [...claudeOptions(WORK_TOOLS), ...claudeEnd, 'Do it.'],
  ],
  [
    'claude takes model and effort',
    claude,
    tuned,
    [...claudeOptions(WORK_TOOLS), '--model=big one', '--effort=high', ...claudeEnd, 'Do it.'],
  ],
  [
    'a claude reviewer never takes up the worker’s conversation and may not commit',
    claude,
    review,
    [...claudeOptions(READ_TOOLS), ...claudeEnd, 'Do it.'],
  ],
  ['codex chooses its own id', codex, first, ['codex', ...codexOptions, '--', 'Do it.']],
  ['codex resumes by id', codex, resumed, ['codex', 'resume', ...codexOptions, '--', ID, 'Do it.']],
  [
    'codex takes model and effort, the effort as a TOML string',
    codex,
    tuned,
    [
      'codex',
      ...codexOptions,
      '--model=big one',
      '--config=model_reasoning_effort="high"',
      '--',
      'Do it.',
    ],
  ],
  ['a codex reviewer begins anew', codex, review, ['codex', ...codexOptions, '--', 'Do it.']],
  ['opencode takes the prompt as an option', opencode, first, ['opencode', '--prompt', 'Do it.']],
  [
    'opencode resumes by id, and is prompted by its plugin',
    opencode,
    resumed,
    ['opencode', `--session=${ID}`],
  ],
  [
    'opencode takes the model and has no effort',
    opencode,
    tuned,
    ['opencode', '--model=big one', '--prompt', 'Do it.'],
  ],
  ['pi begins with the id it is given', pi, first, [...piOptions, '--session-id', ID, 'Do it.']],
  ['pi resumes with the same option', pi, resumed, [...piOptions, '--session-id', ID, 'Do it.']],
  [
    'pi takes model and effort',
    pi,
    tuned,
    [...piOptions, '--model', 'big one', '--thinking', 'high', 'Do it.'],
  ],
  ['a pi reviewer begins anew', pi, review, [...piOptions, 'Do it.']],
  [
    'gemini stays interactive after the prompt',
    gemini,
    first,
    [...geminiOptions, '--prompt-interactive', 'Do it.'],
  ],
  [
    'gemini resumes by id',
    gemini,
    resumed,
    [...geminiOptions, `--resume=${ID}`, '--prompt-interactive', 'Do it.'],
  ],
  [
    'gemini takes the model and has no effort',
    gemini,
    tuned,
    [...geminiOptions, '--model=big one', '--prompt-interactive', 'Do it.'],
  ],
  [
    'the demo agent needs no prompt',
    demoHarness({ nodePath: '/usr/bin/node', agentPath: '/opt/orange/dist/orange-demo-agent.js' }),
    first,
    ['/usr/bin/node', '/opt/orange/dist/orange-demo-agent.js'],
  ],
];

describe('built-in harnesses', () => {
  it.each(TABLE)('%s', (_title, harness, given, argv) => {
    expect(harness.command(given)).toEqual(success(argv));
  });

  it.each([claude, codex, opencode, pi, gemini])(
    '$name keeps a prompt in one argument',
    (harness) => {
      const prompt = 'Say "hi"; $(id) `x`\nsecond line {prompt} end;';
      const argv = harness.command(assignment({ prompt }));
      expect(argv.ok && argv.value.at(-1)).toBe(prompt);
    },
  );

  it.each([claude, codex, opencode, gemini])(
    '$name cannot be given another option through the model',
    (harness) => {
      const argv = harness.command(assignment({ model: '--yolo' }));
      expect(argv.ok && argv.value).not.toContain('--yolo');
    },
  );

  it('no default command line switches the asking for permission off', () => {
    for (const harness of [claude, codex, opencode, pi, gemini]) {
      const argv = harness.command(first);
      expect(JSON.stringify(argv)).not.toMatch(/dangerous|yolo|bypass|full-access/);
    }
  });
});
