import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type DeathWatch = {
  look(): void;
  readonly violations: readonly { readonly key: string; readonly text: string }[];
};
type Script = { DeathWatch: new (place: { home: string; chaos: string }) => DeathWatch };

const TASK = 'V1StGXR8Z5jdHi6BmyT7q';
// As in a terminal: a server, the leader of the session, somebody between, and the agent, which
// enters its own process in the ledger as the agents of chaos do.
const SERVER = `setsid sh -c '(sh -c "
  read -r line < /proc/self/stat
  printf \\"%s\\\\n\\" \\"\\$line\\" > \\"\\$LEDGER.new\\"; mv \\"\\$LEDGER.new\\" \\"\\$LEDGER\\"
  echo \\$\\$; exec sleep 60"; :); :' & echo $!; wait`;

describe('the watch over the lives of agents', () => {
  let folder: string;
  let server: ChildProcess;
  let leader: number;
  let agent: number;
  let watch: DeathWatch;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'od-'));
    const place = { home: join(folder, 'home'), chaos: join(folder, 'chaos') };
    mkdirSync(join(place.home, 'tasks', 'shop', TASK), { recursive: true });
    mkdirSync(join(place.chaos, 'lives'), { recursive: true });
    const ledger = join(place.chaos, 'lives', 'launch-1');
    server = spawn('sh', ['-c', SERVER], {
      env: { ...process.env, LEDGER: ledger },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    server.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
    await expect.poll(() => said.split('\n').length, { timeout: 10_000 }).toBe(3);
    [leader = 0, agent = 0] = said.split('\n').map(Number);
    await expect.poll(() => isGone(agent)).toBe(false);
    const script = await loadScript<Script>('../chaos/oracle/death-watch');
    watch = new script.DeathWatch(place);
    watch.look();
  });

  afterEach(async () => {
    for (const pid of [agent, leader, server.pid ?? 0]) end(pid);
    await expect.poll(() => isGone(agent)).toBe(true);
    rmSync(folder, { recursive: true, force: true });
  });

  const record = (type: string, atMs = Date.now()) =>
    appendFileSync(
      join(folder, 'home', 'tasks', 'shop', TASK, 'history.jsonl'),
      `${JSON.stringify({ type, launch: 'launch-1', timestamp: new Date(atMs).toISOString() })}\n`,
    );

  it.each(['agent.crashed', 'agent.interrupted'])(
    'I3 sees an %s of an agent that lives, and tells of it once',
    (type) => {
      record(type);
      watch.look();
      watch.look();
      expect(watch.violations.map(({ key }) => key)).toEqual([
        `I3 false death of ${TASK} launch-1`,
      ]);
    },
  );

  it('I3 sees that an agent lived on after its recorded death, although it was ended since', async () => {
    const before = Date.now() - 1000;
    watch.look();
    end(agent);
    await expect.poll(() => isGone(agent)).toBe(true);
    record('agent.interrupted', before);
    watch.look();
    expect(watch.violations).toMatchObject([{ text: expect.stringContaining('ms later') }]);
  });

  it('believes the death of an agent that was killed', async () => {
    end(agent);
    await expect.poll(() => isGone(agent)).toBe(true);
    record('agent.crashed');
    watch.look();
    expect(watch.violations).toEqual([]);
  });

  it('believes it of one whose terminal was taken away, or whose server died', async () => {
    end(server.pid ?? 0);
    await expect.poll(() => isGone(server.pid ?? 0)).toBe(true);
    expect(isGone(agent)).toBe(false);
    record('agent.interrupted');
    watch.look();
    expect(watch.violations).toEqual([]);
  });

  it.each([3_600_000, 3000])(
    'does not believe the times of a daemon whose clock was set: %i ms back',
    async (backMs) => {
      writeFileSync(join(folder, 'chaos', 'clock'), String(-backMs));
      end(agent);
      await expect.poll(() => isGone(agent)).toBe(true);
      record('agent.crashed', Date.now() - backMs);
      watch.look();
      expect(watch.violations).toEqual([]);
    },
  );

  it('I3 sees also of such a daemon that an agent lived when its death was written down', async () => {
    writeFileSync(join(folder, 'chaos', 'clock'), '-3000');
    watch.look();
    record('agent.crashed', Date.now() - 3000);
    const path = join(folder, 'home', 'tasks', 'shop', TASK, 'history.jsonl');
    const earlier = new Date(Date.now() - 1000);
    utimesSync(path, earlier, earlier);
    end(agent);
    await expect.poll(() => isGone(agent)).toBe(true);
    watch.look();
    expect(watch.violations).toMatchObject([{ text: expect.stringContaining('ms later') }]);
  });
});

function end(pid: number): void {
  if (pid > 1 && !isGone(pid)) process.kill(pid, 'SIGKILL');
}

function isGone(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return !existsSync(path) || / [ZX] /.test(readFileSync(path, 'utf8').replace(/^.*\)/s, ''));
}
