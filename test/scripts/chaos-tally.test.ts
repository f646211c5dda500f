import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Round = {
  readonly fault: { readonly name: string; readonly group: string };
  readonly struck: boolean | string;
  readonly problems: readonly string[];
  readonly tookMs: number;
  readonly restMs?: number;
  readonly ownMs?: number;
  readonly seed: string;
  readonly root: string;
};
type Tally = { add(round: Round): void; report(): string; readonly isClean: boolean };
type Script = {
  Tally: new (how: {
    rounds: number;
    say: (line: string) => void;
    replayOptions: (seed: string) => string;
    tries: number;
  }) => Tally;
};

const replayOptions = (seed: string) => `--replay ${seed} --each-once`;

async function tallyOf(...rounds: readonly Partial<Round>[]) {
  return tallyTrying(3, ...rounds);
}

async function tallyTrying(tries: number, ...rounds: readonly Partial<Round>[]) {
  const { Tally } = await loadScript<Script>('../chaos/tally');
  const said: string[] = [];
  const tally = new Tally({
    rounds: 9,
    say: (line) => void said.push(line),
    replayOptions,
    tries,
  });
  for (const round of rounds) tally.add({ ...SOUND, ...round });
  return { report: tally.report(), isClean: tally.isClean, said: said.join('\n') };
}

const SOUND: Round = {
  fault: { name: 'reboot', group: 'reboots' },
  struck: true,
  problems: [],
  tookMs: 3000,
  restMs: 1500,
  ownMs: 500,
  seed: '1.2.3',
  root: '/tmp/x',
};
const MISSED = { struck: false };

describe('the tally of chaos', () => {
  it('is clean when every fault struck and nothing broke, and tells how long rest took', async () => {
    const { isClean, report } = await tallyOf({}, { restMs: 4000, ownMs: 2000 });
    expect(isClean).toBe(true);
    expect(report).toMatch(/reboots +\| 2 +\| 2 +\| 0 +\| 2\.0 s +\| 2\.0 s/);
    expect(report).toContain("orange's own time p99 2.0 s, max 2.0 s");
  });

  it('is not clean when something broke, and says what brings it again', async () => {
    const { isClean, said } = await tallyOf({ problems: ['I4 shop--1: was set aside'] });
    expect(isClean).toBe(false);
    expect(said).toContain('npm run chaos -- --replay 1.2.3 --each-once');
    expect(said).toContain('I4 shop--1: was set aside');
  });

  it('is not clean when a fault was tried three times and never struck', async () => {
    const { isClean, report } = await tallyOf(MISSED, MISSED, MISSED);
    expect(isClean).toBe(false);
    expect(report).toContain('FAILED: reboot was tried 3 times and never struck');
  });

  it('is not clean when a fault never struck where each comes once', async () => {
    const { isClean, report } = await tallyTrying(1, MISSED);
    expect(isClean).toBe(false);
    expect(report).toContain('FAILED: reboot was tried once and never struck');
    expect((await tallyTrying(1, {})).isClean).toBe(true);
    expect((await tallyTrying(1, { struck: 'needs root' })).isClean).toBe(true);
  });

  it('names what was tried less often, and lets it pass', async () => {
    const { isClean, report } = await tallyOf(MISSED, MISSED);
    expect(isClean).toBe(true);
    expect(report).toContain('Never struck: reboot.');
  });

  it('lets a fault pass that struck once, however seldom', async () => {
    const { isClean } = await tallyOf(MISSED, MISSED, MISSED, {});
    expect(isClean).toBe(true);
  });

  it('lets a fault pass that cannot happen here, and says why', async () => {
    const here = { struck: 'needs leave to mount a disk' };
    const { isClean, report } = await tallyOf(here, here, here);
    expect(isClean).toBe(true);
    expect(report).toContain('Not possible here: reboot (needs leave to mount a disk).');
  });
});
