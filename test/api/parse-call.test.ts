import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCall } from '../../src/api/parse-call.js';
import { success } from '../../src/domain/result.js';

const ask = (call: unknown): ReturnType<typeof parseCall> =>
  parseCall(JSON.stringify({ id: 1, call }));
const submit = (request: unknown, actor: unknown = 'human'): ReturnType<typeof parseCall> =>
  ask({ method: 'submit', request, actor });

const CREATE = {
  kind: 'task.create',
  project: 'p',
  branch: null,
  summary: 'Do it',
  harness: null,
  reviewHarness: null,
  context: null,
  status: 'pending',
  extensions: { priority: 'high', tags: ['a', 'b'], gates: { plan: 'human' }, hold: null },
};

const REPORT = {
  kind: 'task.report',
  taskId: 'abc',
  state: 'working',
  text: null,
  launchId: 'worker-1',
};

const lineWith = (extensions: string): string =>
  `{"id":1,"call":{"method":"submit","actor":"human","request":${JSON.stringify(CREATE).replace(/"extensions":.*$/, `"extensions":${extensions}}`)}}}`;

describe('what a client may ask', () => {
  const good: readonly object[] = [
    CREATE,
    { ...CREATE, branch: 'feat/x', harness: 'claude', context: 'Line one\nline two' },
    { kind: 'task.update', taskId: 'abc' },
    { kind: 'task.update', taskId: 'abc', status: 'working', summary: 's', extensions: {} },
    { kind: 'task.spawn', taskId: 'abc', force: false },
    { kind: 'task.respawn', taskId: 'abc' },
    { kind: 'task.send', taskId: 'abc', text: 'hello; $(id)' },
    { kind: 'task.report', taskId: 'abc', state: null, text: null, launchId: null },
    { ...REPORT, conversation: 'ses_0123456789' },
    { kind: 'task.review', taskId: 'abc', verdict: 'PASS', text: '' },
    { kind: 'task.cancel', taskId: 'abc', reason: null },
    { kind: 'task.delete', taskId: 'abc' },
    { kind: 'task.reopen', taskId: 'abc', summary: 'again' },
    { kind: 'task.merge', taskId: 'abc', strategy: 'ff', push: null, message: null },
    { kind: 'project.add', path: '/r', name: null, defaultBranch: null, poolSize: 3 },
    { kind: 'project.update', name: 'p', path: '/x', defaultBranch: 'main', poolSize: null },
    { kind: 'project.remove', name: 'p' },
    { kind: 'project.trust', name: 'p' },
    { kind: 'workspace.init', project: 'p' },
    { kind: 'workspace.gc', project: null },
  ];
  it.each(good.map((request) => [JSON.stringify(request), request] as const))(
    '%s',
    (_t, request) => {
      const call = { method: 'submit', request, actor: 'agent' };
      expect(ask(call)).toEqual({ id: 1, call: success(call) });
    },
  );

  it.each(['snapshot', 'subscribe', 'status', 'next', 'stop'])('%s', (method) => {
    expect(ask({ method })).toEqual({ id: 1, call: success({ method }) });
  });
});

describe('what is refused, with the name of the argument', () => {
  const bad: readonly (readonly [string, ReturnType<typeof parseCall>])[] = [
    ['method', ask({ method: 'toString' })],
    ['method', ask({})],
    ['call', ask(null)],
    ['lines', ask({ method: 'peek', taskId: 'a', lines: 1.5 })],
    ['lines', ask({ method: 'peek', taskId: 'a' })],
    ['taskId', ask({ method: 'peek', taskId: '../x', lines: 1 })],
    ['extra', ask({ method: 'stop', extra: 1 })],
    ['kind', submit({ kind: 'constructor' })],
    ['kind', submit({})],
    ['request', submit([])],
    ['conversation', submit({ ...REPORT, conversation: '--yolo-please' })],
    ['actor', submit(CREATE, 'daemon')],
    ['actor', submit(CREATE, null)],
    ['project', submit({ ...CREATE, project: '../etc' })],
    ['project', submit({ ...CREATE, project: '-rf' })],
    ['status', submit({ ...CREATE, status: 'done' })],
    ['summary', submit({ ...CREATE, summary: 'x'.repeat(5000) })],
    ['summary', submit({ ...CREATE, summary: 'a\0b' })],
    ['context', submit({ ...CREATE, context: 'x'.repeat(300_000) })],
    ['branch', submit({ ...CREATE, branch: '' })],
    ['colour', submit({ ...CREATE, colour: 'red' })],
    ['extensions', submit({ ...CREATE, extensions: { status: 'done' } })],
    ['extensions', submit({ ...CREATE, extensions: { n: 1 } })],
    ['extensions', submit({ ...CREATE, extensions: { 'a b': 'c' } })],
    ['extensions', submit({ ...CREATE, extensions: { a: [[[[[[['x']]]]]]] } })],
    ['extensions', submit({ ...CREATE, extensions: { a: 'x'.repeat(20_000) } })],
    ['taskId', submit({ kind: 'task.delete', taskId: '' })],
    ['taskId', submit({ kind: 'task.delete' })],
    ['taskId', submit({ kind: 'task.delete', taskId: 'x'.repeat(65) })],
    ['force', submit({ kind: 'task.spawn', taskId: 'a', force: 'yes' })],
    [
      'path',
      submit({
        kind: 'project.add',
        path: 'relative',
        name: null,
        defaultBranch: null,
        poolSize: null,
      }),
    ],
    [
      'poolSize',
      submit({ kind: 'project.update', name: 'p', path: null, defaultBranch: null, poolSize: 0 }),
    ],
  ];
  it.each(bad)('%s', (argument, parsed) => {
    expect(parsed).toMatchObject({
      id: 1,
      call: { ok: false, failure: { kind: 'invalid-argument', argument } },
    });
  });

  it('a key named __proto__, wherever it stands', () => {
    expect(parseCall(lineWith('{}')).call.ok).toBe(true);
    expect(parseCall(lineWith('{"__proto__":{"a":"b"}}')).call.ok).toBe(false);
    expect(parseCall(lineWith('{"a":{"__proto__":"b"}}')).call.ok).toBe(false);
    expect(parseCall('{"id":1,"__proto__":{},"call":{"method":"next"}}').call.ok).toBe(false);
  });

  it('with no more of the value than a person needs, and nothing that moves a cursor', () => {
    const { call } = submit({ ...CREATE, project: `\u001B[2J\u202E${'x'.repeat(1000)}` });
    if (call.ok || call.failure.kind !== 'invalid-argument') throw new Error('was accepted');
    expect(call.failure.value).toHaveLength(81);
    expect(call.failure.value).toMatch(/^\?\[2J\?x+…$/);
  });
});

it('whatever a client sends, the answer is a value', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (line) => {
      const parsed = parseCall(line);
      expect(parsed.call.ok ? parsed.id : 1).toBeGreaterThan(0);
    }),
    { numRuns: 1000 },
  );
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(CREATE)), (value, key) => {
      expect(submit({ ...CREATE, [key]: value }).id).toBe(1);
    }),
    { numRuns: 1000 },
  );
});
