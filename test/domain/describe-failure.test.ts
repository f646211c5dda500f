import { describe, expect, it } from 'vitest';
import { codeOf, describeFailure, exitCodeFor } from '../../src/domain/describe-failure.js';
import type { FailureKind, FailureOf } from '../../src/domain/description.js';
import type { Failure } from '../../src/domain/failure.js';
import type { MoveRefusal } from '../../src/domain/move-refusal.js';

// One sample of each kind; the compiler refuses this table when a kind is missing.
const SAMPLES: { readonly [K in FailureKind]: Omit<FailureOf<K>, 'kind'> } = {
  'not-found': { what: 'task', name: 'abcd' },
  ambiguous: { what: 'task', name: 'abcd', candidates: ['abcd1', 'abcd2'] },
  'invalid-argument': { argument: '--pool-size', value: '0', rule: 'it must be at least 1' },
  'move-refused': { from: 'working', to: 'done', because: { kind: 'no-such-move' } },
  reserved: { holders: ['shop/dark-mode'], paths: ['src/a.ts'] },
  'file-rejected': {
    diagnostics: [
      {
        code: 'ORA012',
        severity: 'error',
        file: '/home/TASK.md',
        line: 3,
        message: 'status is unknown',
        fix: 'use one of the nine',
      },
    ],
  },
  'wrong-status': { action: 'merge', status: 'working', allowed: ['reviewing'] },
  'project-exists': { name: 'shop', path: '/repos/shop' },
  'project-in-use': { name: 'shop', tasks: 2 },
  'not-a-repository': { path: '/tmp/x' },
  'repository-without-commits': { path: '/tmp/x' },
  'branch-invalid': { branch: 'a..b', rule: 'it has two dots in a row' },
  'branch-in-use': { branch: 'fix', where: '/repos/shop' },
  'branch-conflict': { branch: 'fix/a', with: 'fix' },
  'branch-missing': { branch: 'fix' },
  'worktree-occupied': { worktree: '/w/shop--1', pid: 42, command: 'bash' },
  'worktree-unusable': { workspace: 'shop--1', reason: 'it is locked' },
  'setup-failed': { command: 'npm ci', how: 'ended with 1', log: '/h/run/setup-logs/shop--1.log' },
  'pool-exhausted': { project: 'shop', size: 2 },
  'harness-unknown': { harness: 'clod', known: ['claude', 'codex'] },
  'harness-not-installed': { harness: 'claude', program: 'claude' },
  'no-harness-installed': { tried: ['claude', 'codex'] },
  'agent-not-running': { taskId: 'abcd', window: 'worker' },
  'agent-busy': { taskId: 'abcd', doing: 'merging' },
  'agent-did-not-start': { window: 'worker', reason: 'exit 127' },
  'terminals-unreachable': { reason: 'error connecting to /h/run/tmux.sock' },
  'message-not-delivered': { window: 'worker', reason: 'the pane is in copy mode' },
  'command-failed': {
    program: 'git',
    action: 'fetch',
    exitCode: 128,
    output: 'fatal: no such remote\n',
  },
  'command-timed-out': { program: 'git', action: 'fetch', timeoutMs: 8000 },
  'program-missing': { program: 'tmux' },
  'program-too-old': { program: 'tmux', version: '2.9', needs: '3.2' },
  'path-too-long': { path: '/long', max: 103 },
  'io-failed': { path: '/home/x', operation: 'replace', code: 'ENOSPC' },
  'merge-conflict': { branch: 'fix', base: 'main', files: ['a.ts', 'b.ts'] },
  'merge-refused': { base: 'main', reason: 'dirty-checkout', where: '/repos/shop' },
  'checks-failed': {
    stage: 'merge',
    check: { command: 'npm test', result: 'failed', exitStatus: 1, durationMs: 5, tail: '' },
    log: '/home/orange/tasks/shop/abcd/test-results/merge.log',
  },
  'pr-open': { url: 'https://github.com/pat/shop/pull/7' },
  'pr-missing': { task: 'shop/fix' },
  'no-feedback': {},
  'push-rejected': { branch: 'fix' },
  'github-unavailable': { reason: 'not-logged-in', where: 'github.com' },
  'base-missing': { base: 'develop' },
  'blocked-by-self': { taskId: 'abcd' },
  'blocking-cycle': { path: ['a', 'b', 'a'] },
  'restore-refused': { ref: 'refs/orange/salvage/a/1', reason: 'not-clean', place: '/w' },
  'not-eligible': { taskId: 'abcd', reasons: ['in the backlog'] },
  'needs-confirmation': { action: 'merge shop/fix' },
  'not-a-terminal': { action: 'attach' },
  'waited-too-long': { what: 'Status done', timeoutSeconds: 5 },
  'home-locked': { home: '/home/orange', pid: 42 },
  'home-unusable': { home: '/home/orange', reason: 'it is a file' },
  'home-too-new': { home: '/home/orange', format: 9, known: 1, version: '9.0.0' },
  'file-not-ours': { path: '/home/pat/orange.service' },
  'service-not-enabled': { manager: 'systemd', path: '/u', command: 'systemctl --user enable u' },
  'daemon-unreachable': { reason: 'ECONNREFUSED' },
  'protocol-mismatch': { ours: 1, theirs: 2, theirVersion: '9.0.0', pid: 42 },
  unsupported: { what: 'merging over ssh', instead: 'Merge on the machine itself.' },
  'no-gate-waiting': { action: 'approve', wanted: null, waiting: null, status: 'working' },
  'moved-on': { action: 'approve', seen: 'planning', status: 'reviewing' },
  'no-such-question': { question: 3, known: [1, 2] },
  'not-for-agents': { action: 'merge' },
  'asked-too-often': { perHour: 1000 },
  'agent-would-not-end': { taskId: 'abcd', pids: [12] },
  internal: { message: 'no such row' },
};

const FAILURES = Object.entries(SAMPLES).map(
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  ([kind, facts]) => ({ kind, ...facts }) as Failure,
);

const REFUSALS: readonly MoveRefusal[] = [
  { kind: 'no-such-move' },
  { kind: 'terminal' },
  { kind: 'not-for-agents' },
  { kind: 'artifact-missing', section: 'Plan' },
  { kind: 'artifact-missing', section: 'Handoff' },
  { kind: 'artifact-missing', section: 'Review' },
  { kind: 'verdict-says', verdict: 'PASS' },
  { kind: 'verdict-says', verdict: 'FAIL' },
  { kind: 'reviewer-not-started' },
  { kind: 'rounds-left', round: 1, max: 2 },
  { kind: 'rounds-used', round: 2, max: 2 },
  { kind: 'gate-closed', gate: 'merge', mode: 'human' },
  { kind: 'needs-merge' },
];

const PLACEHOLDER = /undefined|null|NaN|\[object|\$\{/;

describe('describeFailure', () => {
  it.each(FAILURES)('says in whole words what $kind means', (failure) => {
    const { message, hint } = describeFailure(failure);
    expect(message).not.toMatch(PLACEHOLDER);
    expect(message.length).toBeGreaterThan(10);
    if (hint !== null) expect(hint).not.toMatch(PLACEHOLDER);
  });

  it.each(FAILURES)('names every text among the facts of $kind', (failure) => {
    const said = Object.values(describeFailure(failure)).join(' ');
    const { kind: _kind, ...facts } = failure;
    const spoken = Object.entries(facts).filter(
      ([key, value]) =>
        typeof value === 'string' && !TRANSLATED.has(key) && value !== 'ECONNREFUSED',
    );
    for (const [, value] of spoken) expect(said).toContain(value);
  });

  it.each(REFUSALS)('says why a move is refused: $kind', (because) => {
    const { message, hint } = describeFailure({
      kind: 'move-refused',
      from: 'working',
      to: 'agent-review',
      because,
    });
    expect(message).toContain('working → agent-review');
    expect(message).not.toMatch(PLACEHOLDER);
    expect(hint).toMatch(/[a-z]/);
  });

  it('names the mistake that keeps a config.yaml with the harness from being in force', () => {
    const rejected = {
      file: '/h/config.yaml',
      line: 3,
      message: 'not a list',
      fix: 'write a list',
    };
    const unknown = {
      kind: 'harness-unknown',
      harness: 'zz',
      known: ['claude'],
      rejected,
    } as const;
    const { message, hint } = describeFailure(unknown);
    expect(message).toContain('/h/config.yaml is not, because of line 3: not a list.');
    expect(hint).toBe('Mend that line: write a list. Known: claude.');
  });

  it('offers near names before the general remedy', () => {
    const near = describeFailure({
      kind: 'not-found',
      what: 'project',
      name: 'shpo',
      near: ['shop'],
    });
    expect(near.hint).toBe('Did you mean shop?');
  });

  it('quotes the line of a command that tells most', () => {
    const { message } = describeFailure({
      kind: 'command-failed',
      program: 'git',
      action: 'push',
      exitCode: 1,
      output: 'remote: hello\nfatal: refused\nhint: try again\n',
    });
    expect(message).toBe('git could not push (ended with 1): fatal: refused');
  });

  it('does not repeat a value of any length', () => {
    const { message } = describeFailure({
      kind: 'invalid-argument',
      argument: 'summary',
      value: 'x'.repeat(5000),
      rule: 'at most 4096 characters',
    });
    expect(message.length).toBeLessThan(200);
  });
});

// Codes and reasons that are turned into other words.
const TRANSLATED = new Set(['code', 'operation', 'reason', 'what', 'output', 'from', 'to']);

describe('exitCodeFor', () => {
  const EXPECTED: Readonly<Partial<Record<FailureKind, number>>> = {
    'invalid-argument': 2,
    ambiguous: 2,
    'branch-invalid': 2,
    'not-found': 3,
    'harness-unknown': 3,
    'waited-too-long': 4,
    internal: 70,
    'home-locked': 100,
  };

  it.each(FAILURES)('knows the exit code of $kind', (failure) => {
    expect(exitCodeFor(failure)).toBe(EXPECTED[failure.kind] ?? 1);
    expect(codeOf(failure)).toBe(failure.kind);
  });
});
