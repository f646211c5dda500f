import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, unlinkSync } from 'node:fs';
import { kill } from 'node:process';
import { describe, expect, it } from 'vitest';
import { createSessions } from '../../src/adapters/tmux-sessions.js';
import { sessionState } from '../../src/domain/session.js';
import { createTmuxRig } from '../rigs/tmux-rig.js';
import { must } from '../rigs/must.js';

const FOREVER = 'while :; do sleep 0.2; done';

describe('launching', () => {
  it('ORA-76 makes a tagged session that is active while the agent lives', async () => {
    await using rig = createTmuxRig();
    const agent = await rig.sh('read line; exit 3');
    expect(await rig.sessions.list()).toMatchObject({
      ok: true,
      value: [{ session: 'demo/branch', taskId: 'taskone', windows: ['worker'] }],
    });
    const record = must(rig.records.read('taskone', 'worker'));
    expect(record).toEqual({ ...agent, isAlive: true, exit: null, isInDoubt: false });
    const facts = { tmuxSession: agent.session, isAlive: record?.isAlive ?? false };
    expect(sessionState({ ...facts, status: 'working' })).toBe('active');
  });

  it('ORA-77 ORA-78 leaves a session that is crashed or inactive once the agent has ended', async () => {
    await using rig = createTmuxRig();
    await rig.sh('echo last words; exit 3');
    const record = await rig.ended('taskone', 'worker');
    expect(record).toMatchObject({ isAlive: false, exit: { status: 3, hasScreen: true } });
    expect(await rig.records.screen('taskone', 'worker')).toEqual(['last words']);
    const facts = { tmuxSession: record.session, isAlive: record.isAlive };
    expect(sessionState({ ...facts, status: 'working' })).toBe('crashed');
    expect(sessionState({ ...facts, status: 'done' })).toBe('inactive');
    await expect.poll(() => rig.sessions.list()).toEqual({ ok: true, value: [] });
  });

  it('adds a window to the session of the same task', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    await rig.sh(FOREVER, { window: 'review-1' });
    expect(await rig.sessions.list()).toMatchObject({
      value: [{ session: 'demo/branch', windows: ['worker', 'review-1'] }],
    });
    expect(
      must(rig.records.list('taskone'))
        .map(({ window }) => window)
        .toSorted(),
    ).toEqual(['review-1', 'worker']);
  });

  it('refuses a session that belongs to another task, or to nobody', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    const other = rig.order({ argv: ['/bin/true'], taskId: 'tasktwo', window: 'review-1' });
    const refusal = { ok: false, failure: { kind: 'agent-did-not-start', window: 'review-1' } };
    expect(await rig.sessions.launch(other)).toMatchObject(refusal);
    rig.tmux('set-option', '-u', '-t', '=demo/branch:', '@orange_task');
    expect(await rig.sessions.launch(other)).toMatchObject(refusal);
    expect(readdirSync(rig.runDir)).not.toContain('tasktwo');
  });

  it('starts one process for one launch, however often and from wherever it is asked (F2, F3)', async () => {
    await using rig = createTmuxRig();
    const launch = rig.order({ argv: ['/bin/sh', '-c', `echo run >> ../runs; ${FOREVER}`] });
    const again = createSessions(rig.parts);
    const results = await Promise.all([
      rig.sessions.launch(launch),
      again.launch(launch),
      rig.sessions.launch(launch),
    ]);
    results.push(await createSessions(rig.parts).launch(launch));
    const pids = results.map((result) => (result.ok ? result.value.pid : result.failure.kind));
    expect(new Set(pids).size).toBe(1);
    await rig.appears('runs');
    expect(rig.read('runs')).toBe('run\n');
    expect(rig.tmux('list-windows', '-a').trim().split('\n')).toHaveLength(1);
  });

  it('does not repeat a launch that has already ended', async () => {
    await using rig = createTmuxRig();
    const launch = rig.order({ argv: ['/bin/sh', '-c', 'echo run >> ../runs'] });
    const first = await rig.sessions.launch(launch);
    await rig.ended('taskone', 'worker');
    expect(await rig.sessions.launch(launch)).toEqual(first);
    expect(rig.read('runs')).toBe('run\n');
  });

  it('does not start a second agent beside one that lives in the same window', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    const second = rig.order({ argv: ['/bin/true'] });
    expect(await rig.sessions.launch(second)).toMatchObject({
      ok: false,
      failure: { kind: 'agent-busy', taskId: 'taskone' },
    });
  });

  it.each([
    [{ session: 'demo/x#(touch ../canary)' }],
    [{ session: 'a.b' }],
    [{ session: '' }],
    [{ session: '$(touch ../canary)' }],
    [{ window: 'worker;' }],
    [{ window: '1' }],
    [{ taskId: '../other' }],
    [{ launchId: 'x"; touch canary; "' }],
    [{ argv: [] }],
    [{ argv: ['/bin/true', '\0'] }],
  ])('refuses %j before anything is started', async (extra) => {
    await using rig = createTmuxRig();
    const launch = rig.order({ argv: ['/bin/true'], ...extra });
    expect(await rig.sessions.launch(launch)).toMatchObject({
      ok: false,
      failure: { kind: 'invalid-argument' },
    });
    expect(readdirSync(rig.root)).toEqual(['work']);
  });
});

describe('the server', () => {
  it('knows no secret, on no command line and in no environment (F70, G12)', async () => {
    await using rig = createTmuxRig({ SERVER_SECRET: 'canary-server' });
    const agent = await rig.sh(FOREVER, {
      env: { AGENT_SECRET: 'canary-agent', PATH: '/usr/bin:/bin' },
    });
    const lines = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readCommandLine(name));
    expect(lines.filter((line) => line.includes('canary-'))).toEqual([]);
    const shown = `${rig.tmux('show-environment', '-g')}${rig.tmux('show-environment', '-t', '=demo/branch:')}`;
    expect(shown).not.toContain('canary-');
    const names = rig
      .tmux('show-environment', '-g')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names.filter((name) => !['PATH', 'HOME', 'TERM', 'PWD'].includes(name ?? ''))).toEqual(
      [],
    );
    expect(readFileSync(`/proc/${agent.pid}/environ`, 'utf8')).not.toContain('canary-');
    expect(readdirSync(`${rig.runDir}/taskone`)).toEqual(['worker.launch', 'worker.pid']);
    expect(readFileSync(`${rig.runDir}/taskone/worker.launch`, 'utf8')).toBe('');
  });

  it('reads its own configuration only', async () => {
    await using rig = createTmuxRig();
    rig.write('.tmux.conf', 'set -g destroy-unattached on\nset -g status-left USERS\n');
    await rig.sh(FOREVER);
    const options = rig.tmux('show-options', '-g');
    expect(options).not.toContain('USERS');
    expect(options).toContain('destroy-unattached off');
    expect(rig.tmux('show-options', '-s')).toContain('exit-empty off');
    expect(rig.tmux('show-options', '-gw')).toContain('remain-on-exit off');
  });

  it('keeps its socket out of reach of agents (F65)', async () => {
    await using rig = createTmuxRig();
    await rig.sh('echo "TMUX=[$TMUX] PANE=[$TMUX_PANE]"');
    expect(await rig.screen('taskone', 'worker')).toEqual(['TMUX=[] PANE=[]']);
  });

  it('is found again when its socket file was deleted, and never doubled (F54)', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    unlinkSync(rig.socket);
    await rig.sh(FOREVER, { window: 'review-1' });
    expect(await rig.sessions.list()).toMatchObject({
      value: [{ windows: ['worker', 'review-1'] }],
    });
  });

  it('that is killed takes its agents along, and is started anew (F53)', async () => {
    await using rig = createTmuxRig();
    for (let round = 0; round < 10; round += 1) {
      await rig.sh(FOREVER);
      kill(JSON.parse(rig.read('run/tmux-server.json')).pid, 'SIGKILL');
      const record = await rig.ended('taskone', 'worker');
      expect(record).toMatchObject({ isAlive: false, exit: { status: 129, signal: 'SIGHUP' } });
    }
    expect(await rig.sessions.list()).toEqual({ ok: true, value: [] });
  });

  it('that hangs costs five seconds, not for ever (F55)', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    const { pid } = JSON.parse(rig.read('run/tmux-server.json'));
    kill(pid, 'SIGSTOP');
    expect(await rig.sessions.list()).toMatchObject({
      ok: false,
      failure: { kind: 'command-timed-out', program: 'tmux', timeoutMs: 5000 },
    });
    kill(pid, 'SIGCONT');
    expect(await rig.sessions.list()).toMatchObject({
      ok: true,
      value: [{ session: 'demo/branch' }],
    });
  });

  it('is given no agent when it has no files left for one (F56)', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    const { pid } = JSON.parse(rig.read('run/tmux-server.json'));
    execFileSync('prlimit', ['--pid', String(pid), '--nofile=20']);
    const launch = rig.order({ argv: ['/bin/true'], window: 'review-1' });
    expect(await rig.sessions.launch(launch)).toMatchObject({
      ok: false,
      failure: {
        kind: 'agent-did-not-start',
        reason: 'the tmux server may open no more than 20 files',
      },
    });
    expect(await rig.sessions.list()).toMatchObject({ ok: true, value: [{ windows: ['worker'] }] });
  });

  it('leaves with its last session when the daemon stops, and stays while agents run', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    await rig.sessions.endServerWhenEmpty();
    const { pid } = JSON.parse(rig.read('run/tmux-server.json'));
    expect(rig.processes.markOf(pid)).not.toBeNull();
    await rig.sessions.endSession('taskone', 'demo/branch');
    await expect.poll(() => rig.processes.markOf(pid)).toBeNull();
  });
});

describe('capturing', () => {
  it('F69 gives clean lines from the screen and the scrollback', async () => {
    await using rig = createTmuxRig();
    const agent = await rig.sh(
      `i=0; while [ $i -lt 80 ]; do echo "line $i"; i=$((i+1)); done; printf '\\033[31mred\\033[0m \\342\\200\\256 end\\n'; ${FOREVER}`,
    );
    await expect
      .poll(async () => {
        const lines = await rig.sessions.capture(agent, 60);
        return lines.ok ? [lines.value.length, lines.value[0], lines.value.at(-1)] : null;
      })
      .toEqual([60, 'line 21', 'red  end']);
  });

  it('says when there is no such window', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER, { window: 'review-10' });
    expect(await rig.sessions.capture({ session: 'demo/branch', window: 'review-1' }, 10)).toEqual({
      ok: false,
      failure: { kind: 'not-found', what: 'window', name: 'demo/branch:review-1' },
    });
  });
});

function readCommandLine(pid: string): string[] {
  try {
    return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
  } catch {
    return [];
  }
}
