import { expect, it } from 'vitest';
import { exitCodeOf, spawnDaemon } from './daemon-checks.js';
import { createRig, PROGRAM } from './orange-rig.js';

type Sweep = {
  readonly sweepFailpoints: (how: {
    readonly program: string;
    readonly homes: number;
    readonly seed: number;
  }) => Promise<{
    readonly problems: readonly string[];
    readonly unreached: readonly string[];
    readonly kills: number;
  }>;
};

// Takes well under a minute where nothing else runs; a busy machine may take its time.
const LIMIT_MS = 400_000;

it(
  'G1 F1 F2 F3 F5 a daemon killed at every failpoint once loses, doubles and invents nothing',
  async () => {
    const url = new URL('../../scripts/chaos/sweep.mjs', import.meta.url);
    const { sweepFailpoints }: Sweep = await import(url.href);
    const swept = await sweepFailpoints({ program: PROGRAM, homes: 3, seed: 1 });
    expect(swept.problems).toEqual([]);
    expect(swept.unreached).toEqual([]);
    expect(swept.kills).toBeGreaterThanOrEqual(100);
  },
  LIMIT_MS,
);

it('a daemon that is told of a failpoint that does not exist says so and does not start', async () => {
  await using rig = await createRig();
  const daemon = spawnDaemon(rig, { ORANGE_FAILPOINT: 'history.sinked:kill' });
  let said = '';
  daemon.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  expect(await exitCodeOf(daemon)).toBe(2);
  await rig.until('its last words', () => said.includes('a failpoint that exists'));
  expect(said).toContain('ORANGE_FAILPOINT');
});
