import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type SingleWatch = {
  look(now: number): void;
  readonly violations: readonly { readonly key: string; readonly text: string }[];
};
type Script = { readonly SingleWatch: new (place: { chaos: string }) => SingleWatch };
type Agents = { readonly AGENT_SCRIPT: string };

describe('the watch over single agents', () => {
  let chaos: string;
  let watch: SingleWatch;
  let agents: ChildProcess[];

  beforeEach(async () => {
    chaos = mkdtempSync(join(tmpdir(), 'os-'));
    agents = [];
    const { SingleWatch } = await loadScript<Script>('../chaos/oracle/single-watch');
    watch = new SingleWatch({ chaos });
  });
  afterEach(async () => {
    for (const agent of agents) await end(agent);
    rmSync(chaos, { recursive: true, force: true });
  });

  /** An agent that lives, and enters itself as the agents of chaos do. */
  function start(launch: string, task: string, role: string): ChildProcess {
    const agent = spawn('sleep', ['60'], { stdio: 'ignore' });
    agents.push(agent);
    const stat = readFileSync(`/proc/${agent.pid}/stat`, 'latin1');
    appendFileSync(join(chaos, 'starts'), `${launch} ${task} ${role} ${stat}`);
    return agent;
  }
  const keysAfter = (...looks: readonly number[]): readonly string[] => {
    for (const now of looks) watch.look(now);
    return watch.violations.map(({ key }) => key);
  };

  it('I3 sees a launch that was started a second time, although the first had ended', async () => {
    await end(start('launch-1', 'one', 'worker'));
    expect(keysAfter(0, 300)).toEqual([]);
    start('launch-1', 'one', 'worker');
    expect(keysAfter(600, 900)).toEqual(['I3 one worker']);
  });

  it('I3 sees two agents of one role that live together for a while, and tells of it once', () => {
    start('launch-1', 'one', 'worker');
    start('launch-2', 'one', 'worker');
    expect(keysAfter(0, 100, 190)).toEqual([]);
    expect(keysAfter(200, 400, 900)).toEqual(['I3 one worker']);
    expect(watch.violations[0]?.text).toContain('lived together for 200 ms');
  });

  it('is content with one after the other, and with one of each role and task', async () => {
    await end(start('launch-1', 'one', 'worker'));
    start('launch-2', 'one', 'worker');
    start('launch-3', 'one', 'reviewer');
    start('launch-4', 'another', 'worker');
    expect(keysAfter(0, 300, 600)).toEqual([]);
  });

  it('waits for the rest of a line', () => {
    writeFileSync(join(chaos, 'starts'), 'launch-1 one worker 7 (sh) S 1 1');
    expect(keysAfter(0)).toEqual([]);
    appendFileSync(join(chaos, 'starts'), ' 1 1\nlaunch-1 one worker 8 (sh) S 1 1 1\n');
    expect(keysAfter(100)).toEqual(['I3 one worker']);
  });

  it('is told of every start by the agents themselves', async () => {
    const { AGENT_SCRIPT } = await loadScript<Agents>('../chaos/agents');
    writeFileSync(join(chaos, 'agent.sh'), AGENT_SCRIPT);
    const env = { CHAOS: chaos, ORANGE_LAUNCH_ID: 'launch-1', ORANGE_TASK_ID: 'one' };
    while (agents.length < 2) {
      const agent = spawn('sh', [join(chaos, 'agent.sh'), 'worker', 'hanger'], {
        cwd: chaos,
        env: { ...env, ORANGE_ROLE: 'worker', PATH: process.env['PATH'] },
        stdio: 'ignore',
      });
      agents.push(agent);
      await expect.poll(() => readStarts().length, { timeout: 10_000 }).toBe(agents.length);
    }
    expect(readStarts()[0]).toMatch(new RegExp(`^launch-1 one worker ${agents[0]?.pid} \\(sh\\)`));
    expect(keysAfter(0)).toEqual(['I3 one worker']);
  });

  function readStarts(): readonly string[] {
    try {
      return readFileSync(join(chaos, 'starts'), 'utf8').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  }
});

async function end(agent: ChildProcess): Promise<void> {
  if (agent.exitCode !== null || agent.signalCode !== null) return;
  agent.kill('SIGKILL');
  await new Promise((resolve) => agent.once('exit', resolve));
}
