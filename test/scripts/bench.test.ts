import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Row = {
  readonly what: string;
  readonly figure: string;
  readonly limit?: string;
  readonly isMet?: boolean;
};
type About = { readonly machine: string; readonly commit: string; readonly date: string };
const { benchReport, describeCommit, describeMachine } = await loadScript<{
  benchReport: (rows: readonly Row[], about: About) => string;
  describeCommit: (written: string) => Promise<string>;
  describeMachine: () => string;
}>('bench-report');
const { worstRow } = await loadScript<{
  worstRow: (what: string, times: readonly number[], mostS?: number) => Row;
}>('bench-rows');
const { monotonicMs } = await loadScript<{ monotonicMs: () => number }>('monotonic');

const about = { machine: '2 cores, 8 GiB', commit: 'commit abc1234-dirty', date: '2026-01-31' };
const met = { what: 'start', figure: '1.00 ms', limit: '≤ 2 ms', isMet: true };
const missed = { ...met, what: 'exit', isMet: false };

describe('the page that a benchmark writes', () => {
  it('says when, of what and on what it was measured, and has every row', () => {
    const page = benchReport([met, { what: 'seen', figure: '7' }], about);
    expect(page).toMatch(/^# Benchmarks\n/);
    expect(page).toContain(
      'Measured on 2026-01-31 at commit abc1234-dirty. Machine: 2 cores, 8 GiB.\n',
    );
    expect(page).toMatch(/^\| start +\| 1.00 ms +\| +\| ≤ 2 ms \| yes \|$/m);
    expect(page).toMatch(/^\| seen +\| 7 +\| +\| +\| +\|\n$/m);
    expect(page).toMatch(/a pause of 100 to 600 ms/);
    expect(page).toMatch(/With no inotify .* once a second/);
    expect(page).toMatch(/prints without end, or rewrites TASK\.md without pause/);
  });

  it('says by itself what was missed', () => {
    expect(benchReport([met], about)).toContain('Every limit is met.');
    expect(benchReport([met, missed], about)).toContain('One limit is missed.');
    expect(benchReport([missed, missed], about)).toContain('2 limits are missed.');
  });

  it('names the commit and the machine, and neither a processor nor a folder', async () => {
    expect(await describeCommit('docs/benchmarks.md')).toMatch(
      /^(?:commit [0-9a-f]{7,40}(?:-dirty)?|an unknown commit)$/,
    );
    expect(describeMachine()).toMatch(/^\d+ cores, \d+ GiB, \w+ \w+, Node v[\d.]+, load [\d.]+ /);
  });
});

describe('what a benchmark is held to', () => {
  it('is the worst time, not the one in the middle', () => {
    expect(worstRow('ready', [100, 200, 1999])).toMatchObject({ isMet: true });
    expect(worstRow('ready', [100, 200, 2001])).toMatchObject({
      figure: '200.0 ms, at most 2001.0 ms',
      limit: '≤ 2 s',
      isMet: false,
    });
  });

  it('is timed by a clock that all processes share and that never goes back', () => {
    const first = monotonicMs();
    expect(monotonicMs()).toBeGreaterThanOrEqual(first);
  });
});
