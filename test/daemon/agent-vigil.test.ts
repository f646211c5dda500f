import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { START_MS } from '../builders/world.js';
import { keepVigil, LOOK_MS, MINUTE, type VigilRig } from './vigil-rig.js';

const PROMPT = ['❯', '  ? for shortcuts'];
const PERMISSION = ['Do you want to proceed?', ' ❯ 1. Yes', '   2. No'];

describe('an agent of which nothing is seen', () => {
  it('F63 is quiet after 10 minutes and stalled after 20', async () => {
    using agent = keepVigil();
    await agent.watch(9.5);
    expect(agent.attention()).toBeNull();
    await agent.watch(1);
    expect(agent.attention()?.kind).toBe('quiet');
    await agent.watch(10);
    expect(agent.attention()).toMatchObject({
      kind: 'stalled',
      since: new Date(START_MS).toISOString(),
    });
    expect(agent.events()).toEqual(['agent.stalled']);
  });

  it('F63 stalls behind a spinner that turns', async () => {
    using agent = keepVigil();
    await agent.watch(25, (index) =>
      agent.show(['● Reading', `${'✻✽✶'[index % 3]} Musing… (${index}s · esc to interrupt)`]),
    );
    expect(agent.attention()?.kind).toBe('stalled');
    // It was never asked: it is in the middle of something.
    expect(agent.events()).toEqual(['agent.stalled']);
  });

  it('F63 stalls behind a classic spinner that counts seconds', async () => {
    using agent = keepVigil({ harness: 'mybot' });
    await agent.watch(25, (index) =>
      agent.show(['Reading', `${'|/-\\'[index % 4]} thinking ${index * 20}s`]),
    );
    expect(agent.events()).toEqual(['agent.stalled']);
  });

  it.each([
    ['asks for Enter', 'About to drop the table users. Press Enter to continue '],
    ['is a shell', 'bash-5.2$ '],
    ['shows nothing that is known', '● Reading'],
  ])('F63 is never asked, and stalls, where a program without known signs %s', async (_, line) => {
    using agent = keepVigil({ harness: 'mybot' });
    agent.show([line]);
    await agent.watch(16);
    expect(agent.events()).toEqual([]);
    await agent.watch(5);
    expect(agent.events()).toEqual(['agent.stalled']);
  });

  it('F9 F10 is not silent because orange slept or the clock was set', async () => {
    using agent = keepVigil();
    await agent.watch(5);
    agent.passTime(8 * 60 * MINUTE);
    await agent.look();
    agent.state.wallMs -= 60 * MINUTE;
    await agent.watch(4);
    expect(agent.attention()).toBeNull();
  });

  it('is not silent because its terminal cannot be read', async () => {
    using agent = keepVigil();
    agent.hide();
    await agent.watch(30, () => {
      agent.show([]);
      agent.hide();
    });
    expect(agent.attention()).toBeNull();
  });
});

describe('a sign of life', () => {
  const SIGNS: readonly (readonly [string, (agent: VigilRig) => void])[] = [
    ['on the screen', (agent) => agent.show(['● Reading', '● Writing'])],
    ['in TASK.md', (agent) => agent.write(agent.taskFile, '---\n')],
    ['in git', (agent) => agent.write(join(agent.gitDirectory, 'logs', 'HEAD'), 'a commit')],
    [
      'by report',
      (agent) => {
        const report = { kind: 'task.report', taskId: agent.id, state: 'working' } as const;
        agent.sim.ask({ ...report, text: null, launchId: null }, 'agent');
      },
    ],
  ];
  it.each(SIGNS)('F63 %s ends a stall, and the ladder begins anew', async (_, giveSign) => {
    using agent = keepVigil();
    await agent.watch(21);
    expect(agent.attention()?.kind).toBe('stalled');
    giveSign(agent);
    agent.passTime(LOOK_MS);
    await agent.look();
    expect(agent.attention()).toBeNull();
    expect(agent.events().at(-1)).toBe('agent.resumed');
    await agent.watch(9);
    expect(agent.attention()).toBeNull();
    await agent.watch(2);
    expect(agent.attention()?.kind).toBe('quiet');
  });

  it('is a file that was written deep in the worktree meanwhile', async () => {
    using agent = keepVigil();
    await agent.watch(6);
    agent.write(join(agent.worktree, 'src', 'deep', 'theme.css'), 'body {}');
    await agent.watch(9);
    expect(agent.attention()).toBeNull();
    await agent.watch(2);
    expect(agent.attention()?.kind).toBe('quiet');
  });

  it('is not what orange itself typed, nor what that shows', async () => {
    using agent = keepVigil();
    await agent.watch(21);
    agent.vigil().settle('until-further-notice');
    agent.show(['● Reading', '> orange: nothing new was seen']);
    agent.passTime(1000);
    await agent.look();
    agent.vigil().settle('for-a-moment');
    await agent.look();
    await agent.watch(1);
    expect(agent.attention()?.kind).toBe('stalled');
  });
});

describe('something that still runs', () => {
  it.each([
    ['a process of its own', (agent: VigilRig) => void (agent.state.hasCompany = true)],
    ['a merge', (agent: VigilRig) => agent.write(join(agent.gitDirectory, 'MERGE_HEAD'), 'x')],
  ])('buys a silent agent time, once: %s', async (_, begin) => {
    using agent = keepVigil();
    begin(agent);
    await agent.watch(19);
    expect(agent.attention()).toBeNull();
    await agent.watch(2);
    expect(agent.attention()?.kind).toBe('quiet');
    await agent.watch(10);
    expect(agent.attention()?.kind).toBe('stalled');
  });
});

describe('an agent that asks for somebody', () => {
  it('F63 waits from the first look on, never stalls, and goes on when it is answered', async () => {
    using agent = keepVigil();
    await agent.watch(1);
    agent.show(PERMISSION);
    await agent.watch(60);
    expect(agent.attention()).toMatchObject({
      kind: 'waiting-for-human',
      reason: expect.stringContaining('permission'),
    });
    expect(agent.events()).toEqual(['agent.waiting']);
    agent.show(['✻ Musing… (esc to interrupt)']);
    await agent.watch(0.5);
    expect(agent.attention()).toBeNull();
    expect(agent.events()).toEqual(['agent.waiting', 'agent.resumed']);
  });

  it.each([
    ['looked at soon after', 3000],
    ['looked at late', 15_000],
  ])('F63 goes on when it is active 15 s after it said that it waits: %s', async (_, lookMs) => {
    using agent = keepVigil({ harness: 'mybot' });
    await agent.watch(1);
    const report = { kind: 'task.report', taskId: agent.id, state: 'waiting' } as const;
    agent.sim.ask({ ...report, text: 'may I?', launchId: null }, 'agent');
    // What telling it leaves on the screen is no sign of life.
    agent.show(['● Reading', '$ orange task report --waiting']);
    if (lookMs < 15_000) {
      agent.passTime(lookMs);
      await agent.look();
      expect(agent.attention()?.kind).toBe('waiting-for-human');
    }
    agent.passTime(15_000 - (lookMs % 15_000));
    agent.show(['● Reading', '$ orange task report --waiting', 'yes']);
    agent.passTime(5000);
    await agent.look();
    expect(agent.attention()).toBeNull();
  });

  it('F63 stalls when it falls silent after its question was answered', async () => {
    using agent = keepVigil({ harness: 'mybot' });
    agent.show(['Proceed? [y/N]']);
    await agent.watch(1);
    agent.show(['Proceed? [y/N] y', 'got y']);
    await agent.watch(25);
    expect(agent.events()).toEqual(['agent.waiting', 'agent.resumed', 'agent.stalled']);
  });

  it('waits once its prompt has stood idle for a minute, is asked after 15, and does not stall', async () => {
    using agent = keepVigil();
    agent.show(PROMPT);
    await agent.watch(0.9);
    expect(agent.attention()).toBeNull();
    await agent.watch(0.7);
    expect(agent.attention()?.kind).toBe('waiting-for-human');
    await agent.watch(60);
    expect(agent.attention()).toMatchObject({ kind: 'waiting-for-human', wasPolled: true });
    expect(agent.events()).toEqual(['agent.waiting', 'progress.polled']);
  });

  it('does not wait when it says so and its screen shows it at work', async () => {
    using agent = keepVigil();
    agent.show(['✻ Musing… (esc to interrupt)']);
    await agent.watch(1);
    const report = { kind: 'task.report', taskId: agent.id, state: 'waiting' } as const;
    agent.sim.ask({ ...report, text: 'its turn is over', launchId: null }, 'agent');
    expect(agent.attention()?.kind).toBe('waiting-for-human');
    agent.passTime(3000);
    await agent.look();
    expect(agent.attention()).toBeNull();
  });

  it('is not asked anything while a question may be on its screen', async () => {
    using agent = keepVigil({ harness: 'mybot' });
    const report = { kind: 'task.report', taskId: agent.id, state: 'waiting' } as const;
    agent.sim.ask({ ...report, text: 'may I?', launchId: null }, 'agent');
    await agent.watch(60);
    expect(agent.events()).toEqual([]);
    expect(agent.attention()?.kind).toBe('waiting-for-human');
  });
});

describe('a vigil that is taken up again after a restart', () => {
  it('F63 keeps a stalled agent stalled, without a second event, until it gives a sign', async () => {
    using agent = keepVigil();
    await agent.watch(21);
    agent.restart();
    await agent.watch(30);
    expect(agent.attention()?.kind).toBe('stalled');
    expect(agent.events()).toEqual(['agent.stalled']);
    agent.show(['● Back']);
    await agent.watch(0.5);
    expect(agent.events()).toEqual(['agent.stalled', 'agent.resumed']);
  });

  it('does not ask a second time', async () => {
    using agent = keepVigil();
    agent.show(PROMPT);
    await agent.watch(16);
    agent.restart();
    await agent.watch(6);
    expect(agent.events()).toEqual(['agent.waiting', 'progress.polled']);
  });
});

it('what orange typed is no sign of life however late the next look comes', async () => {
  using agent = keepVigil();
  await agent.watch(21);
  agent.vigil().settle('for-a-moment');
  agent.show(['● Reading', '> orange: nothing new was seen']);
  await agent.watch(2);
  expect(agent.attention()?.kind).toBe('stalled');
  agent.show(['● Reading', '> orange: nothing new was seen', '● Sorry, going on']);
  await agent.watch(1);
  expect(agent.attention()).toBeNull();
});
