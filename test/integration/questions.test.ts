import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

/** A command for notices that writes down what it was told. */
const NOTE_IT = [
  '/bin/sh',
  '-c',
  'echo "$ORANGE_NOTICE_CAUSE $ORANGE_NOTICE_TEXT" >> "$HOME/said/notices"',
];

/** Plans, asks by the command line from its worktree, and says what it is told through its terminal. */
const ASKING_WORKER = `
add Plan 'APPROACH: ask first'
await_status working
orange task ask Which colour shall it be? >> "$RIG/said/ask" 2>&1
say "asked $?"
while read -r line; do say "told $line"; done
`;

describe('questions', () => {
  it('ORA-41 ORA-65 asked from the worktree wait for a person, whose answer reaches the worker', async () => {
    await using rig = await createRig({ agents: { plain: { worker: ASKING_WORKER } } });
    const id = await rig.create('colour', 'Paint it', ...PLAIN);
    await rig.waitForStatus(id, 'clarification');
    expect(rig.read(rig.taskFile(id))).toContain('## Questions\n\n1. Which colour shall it be?\n');
    expect(rig.history(id)).toContainEqual(
      expect.objectContaining({ type: 'question.asked', question: 1, by: 'agent' }),
    );
    await rig.until('the answer to the agent', () => rig.said().includes('asked 0'));

    const refused = await rig.orange('task', 'answer', id, '--question', '3', 'Blue.', '--json');
    expect(refused.code).toBe(1);
    expect(refused.json()).toMatchObject({ error: { code: 'no-such-question' } });

    const answer = await rig.must('task', 'answer', id, 'Blue,', 'and', 'bright.', '--json');
    expect(answer.json()).toMatchObject({ status: 'working', session: 'active' });
    expect(rig.read(rig.taskFile(id))).toContain('## Answers\n\n1. Blue, and bright.\n');
    await rig.until('the word to the worker', () =>
      rig.said().some((line) => line.startsWith('told') && line.includes('Blue, and bright.')),
    );
    expect(rig.history(id).filter(({ type }) => type === 'agent.spawned')).toHaveLength(1);
  });

  it('answered while the worker cannot be told are told later, also by the next daemon', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `stty -echo
            await_status planning
            orange task ask 'Red?'
            say asked
            await_go listen
            stty echo
            while read -r line; do say "told $line"; done`,
        },
      },
    });
    const id = await rig.create('deaf', 'Paint it', ...PLAIN);
    await rig.until('the question', () => rig.said().includes('asked'));
    await rig.must('task', 'answer', id, 'Blue.');
    await rig.waitForEvent(id, ({ type }) => type === 'message.undelivered');
    const inbox = await rig.must('inbox', '--json');
    expect(inbox.json<unknown[]>()).toMatchObject([{ code: 'undelivered', task: 'shop/deaf' }]);
    expect(rig.field(id, 'status')).toBe('planning');

    await rig.must('daemon', 'stop');
    rig.go('listen');
    await rig.must('daemon', 'start');
    await rig.waitForEvent(id, ({ type }) => type === 'message.delivered');
    await rig.until('the answer', () => rig.said().some((line) => /^told .*Blue/.test(line)));
  });

  it('answered one by one are told with every answer, also by the next daemon', async () => {
    const worker = `await_status planning
      orange task ask 'Red?'
      orange task ask 'Round?'
      say asked
      while read -r line; do say "told $line"; done`;
    await using rig = await createRig({ agents: { plain: { worker } } });
    const id = await rig.create('two', 'Paint it', ...PLAIN);
    await rig.until('the questions', () => rig.said().includes('asked'));
    await rig.must('task', 'answer', id, '--question', '1', 'Blue.');
    await rig.must('daemon', 'restart');
    await rig.must('task', 'answer', id, '--question', '2', 'Square.');
    const told = (words: string) => (): boolean =>
      rig.said().some((line) => line.startsWith('told') && line.includes(words));
    await rig.until('the second answer', told('To question 2: Square.'));
    await rig.until('the first answer', told('To question 1: Blue.'));
  });

  it.each([
    ['after a restart', ['daemon', 'restart'], null],
    ['while no daemon runs', ['daemon', 'stop'], ['daemon', 'start']],
  ] as const)(
    'keep their answers in TASK.md when their agent saves what it read before, %s',
    async (_, before, after) => {
      const worker = `await_status planning
        orange task ask 'Red?'
        cat TASK.md > "$RIG/old.md"
        say asked
        await_go save
        printf '\\n## Notes\\n\\nmine\\n' >> "$RIG/old.md"
        cat "$RIG/old.md" > TASK.md
        say saved
        idle`;
      await using rig = await createRig({ agents: { plain: { worker } } });
      const id = await rig.create('stale', 'Paint it', ...PLAIN);
      await rig.until('the question', () => rig.said().includes('asked'));
      await rig.must('task', 'answer', id, 'Blue.');
      await rig.must(...before);
      rig.go('save');
      await rig.until('the old text', () => rig.said().includes('saved'));
      if (after !== null) await rig.must(...after);
      await rig.until('the answer', () => {
        const text = rig.read(rig.taskFile(id));
        return text.includes('## Answers\n\n1. Blue.\n') && text.includes('mine');
      });
    },
  );

  it('F34 keep their answers in TASK.md when their agent saves what it read before under a time of its own', async () => {
    const worker = `await_status planning
      orange task ask 'Red?'
      cat TASK.md > "$RIG/old.md"
      say asked
      await_go save
      sed "s/^updated_at: .*/updated_at: $(date -u +%FT%T.999Z)/" "$RIG/old.md" > "$RIG/new.md"
      printf '\\n## Notes\\n\\nmine\\n' >> "$RIG/new.md"
      cat "$RIG/new.md" > TASK.md
      idle`;
    await using rig = await createRig({ agents: { plain: { worker } } });
    const id = await rig.create('touched', 'Paint it', ...PLAIN);
    await rig.until('the question', () => rig.said().includes('asked'));
    await rig.must('task', 'answer', id, 'Blue.');
    rig.go('save');
    await rig.until('the answer', () => {
      const text = rig.read(rig.taskFile(id));
      return text.includes('## Answers\n\n1. Blue.\n') && text.includes('mine');
    });
    expect(rig.read(rig.taskFile(id)).match(/^1\. Blue\.$/gm)).toHaveLength(1);
  });

  it('written by hand are answered too, and a worker that died meanwhile is started with the answer', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `say start
            if grep -q '^## Answers' TASK.md; then say "answer $(grep -c 'Dark blue' "$ORANGE_HOME/run/$ORANGE_TASK_ID/worker.prompt")"; idle; fi
            await_status planning
            add Questions 'Which colour?'
            sed 's/^status: .*/status: clarification/' TASK.md > "$RIG/new.md"
            cat "$RIG/new.md" > TASK.md
            await_go die`,
        },
      },
    });
    const id = await rig.create('by-hand', 'Paint it', ...PLAIN);
    await rig.waitForStatus(id, 'clarification');
    rig.go('die');
    await untilSession(rig, id, 'crashed');
    await rig.must('task', 'answer', id, 'Dark blue.');
    await rig.until('the new worker', () => rig.said().includes('answer 1'));
    expect(rig.read(rig.taskFile(id))).toContain('## Questions\n\nWhich colour?\n');
    expect(rig.read(rig.taskFile(id))).toContain('## Answers\n\n1. Dark blue.\n');
    expect(rig.history(id).filter(({ type }) => type === 'agent.crashed')).toEqual([]);
  });

  it('asked one after the other are each told of, by command or by hand, and an answer names all it counts for', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `await_status planning
            orange task ask 'Which colour?'
            await_go second; orange task ask 'How big?'
            await_go third; sed 's/^2. How big.*/&\\n3. How soon?/' TASK.md > "$RIG/new.md"
            cat "$RIG/new.md" > TASK.md; idle`,
        },
      },
      settings: {
        reconcile_seconds: 1,
        notify: { desktop: false, bell: false, command: NOTE_IT },
      },
    });
    const told = (): readonly string[] => rig.said('notices');
    const id = await rig.create('asks', 'Paint it', ...PLAIN);
    await rig.until('the first notice', () => told().length === 1);
    rig.go('second');
    await rig.until('the second notice', () => told().length === 2);
    await rig.must('daemon', 'restart');
    rig.go('third');
    await rig.until('the third notice', () => told().length === 3);
    expect(told()).toEqual([
      'question asks: Which colour?',
      'question asks: How big? (and 1 more)',
      'question asks: How soon? (and 2 more)',
    ]);
    const answer = await rig.must('task', 'answer', id, 'Blue.', '--json');
    expect(answer.json()).toMatchObject({
      status: 'planning',
      answered: [
        { number: 1, text: 'Which colour?' },
        { number: 2, text: 'How big?' },
        { number: 3, text: 'How soon?' },
      ],
    });
  });
});

/** Waits until the daemon itself says so. */
async function untilSession(rig: Rig, id: string, session: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const shown = await rig.must('task', 'show', id, '--json');
    if (shown.json()['session'] === session) return;
    if (performance.now() > deadline) throw new Error(`never ${session}:\n${shown.stdout}`);
  }
}
