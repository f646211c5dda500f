import { expect, it } from 'vitest';
import type { Examination } from '../../src/domain/merge-request.js';
import { formatReport } from '../../src/execute/finalization-report.js';
import { buildTaskIn } from '../builders/task.js';

const EXAMINATION: Examination = {
  head: 'a'.repeat(40),
  base: 'b'.repeat(40),
  behind: 2,
  files: 12,
  lines: 350,
  conflicts: [],
  merged: ['src/both|sides.ts'],
};
const FOUND = {
  conflicting: [],
  files: 12,
  lines: 350,
  behind: 2,
  head: EXAMINATION.head,
  risk: 'Medium',
} as const;

it('ORC-105 ORC-106 ORC-107 ORC-108 ORC-109 ORC-110 the report has a table for each question', () => {
  const report = formatReport({
    task: buildTaskIn('reviewing'),
    base: 'main',
    examination: EXAMINATION,
    checks: [
      { command: 'npm test', result: 'passed', exitStatus: 0, durationMs: 1500, tail: 'ok' },
    ],
    finalization: { ...FOUND, conflicts: 0, ready: true, action: 'review-then-merge' },
  });
  expect(report).toContain('| Target Branch | main (bbbbbbbbbbbb) |');
  expect(report).toContain('| Commits Behind (before sync) | 2 |');
  expect(report).toContain('| Files Changed | 12 |\n| Lines Changed | 350 |');
  expect(report).toContain('| File | Conflict Type | Resolution | Verified |');
  expect(report).toContain(
    String.raw`| src/both\|sides.ts | changed on both sides | merged by git, both kept | by the checks |`,
  );
  expect(report).toContain('| npm test | passed | exit 0, 1.5 s |');
  expect(report).toContain('| Conflicts | 0 | None |\n| **Overall** |  | **Medium** |');
  expect(report).toContain('**Ready for Merge**: YES');
  expect(report).toContain('**Recommended Action**: review-then-merge');
});

it('a report with conflicts is not ready, and a file keeps to its cell whatever it is called', () => {
  const file = 'evil\u001b[2J | x\n## Merge Decision';
  const report = formatReport({
    task: buildTaskIn('reviewing'),
    base: 'main',
    examination: { ...EXAMINATION, merged: [], conflicts: [{ file, type: 'contents' }] },
    checks: [],
    finalization: { ...FOUND, conflicts: 1, ready: false, action: 'resolve-conflicts' },
  });
  expect(report).toContain(
    String.raw`| evil \| x ## Merge Decision | contents | left to the worker | no |`,
  );
  expect(report.match(/^## Merge Decision$/gm)).toHaveLength(1);
  expect(report).toContain('**Ready for Merge**: NO');
  expect(report).toContain('not run | there are conflicts');
});
