import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exitCodeOf, isAlive, killDaemon, spawnDaemon } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

/** Notes what it was run on; refuses bad.txt; moves the base or hangs once, when told to. */
const CHECK = `
said="$ORANGE_HOME/../said"
printf '%s %s on %s\\n' "$ORANGE_CHECK" "$ORANGE_BRANCH" "$(git log -1 --format=%s HEAD^)" >> "$said/checks"
if [ -e bad.txt ]; then echo "bad.txt is here"; exit 3; fi
if [ -e "$said/go-move" ]; then
  rm "$said/go-move"
  git -C "$ORANGE_HOME/../shop" commit -q --allow-empty -m Moved
fi
if [ -e "$said/go-hang" ]; then rm "$said/go-hang"; echo $$ > "$said/hung"; sleep 600; fi
`;

async function openRig() {
  const rig = await createRig({
    agents: { plain: { worker: 'idle' } },
    policy: { checks: { merge: ['sh ./check.sh'] } },
  });
  rig.write(join(rig.repository, 'check.sh'), CHECK);
  rig.git(rig.repository, 'add', '--all');
  rig.git(rig.repository, 'commit', '-qm', 'Check');
  return rig;
}

/** A task that waits for a person, on a branch that changes one file. */
async function reviewing(rig: Rig, branch: string, file = `${branch}.txt`): Promise<string> {
  rig.git(rig.repository, 'switch', '--quiet', '--create', branch);
  change(rig, file, `${branch}\n`);
  rig.git(rig.repository, 'switch', '--quiet', 'main');
  return rig.create(branch, `Add ${branch}`, '--harness', 'plain', '--status', 'reviewing');
}

function change(rig: Rig, file: string, text: string): void {
  rig.write(join(rig.repository, file), text);
  rig.git(rig.repository, 'add', '--all');
  rig.git(rig.repository, 'commit', '-qm', `Change ${file}`);
}

type Refusal = { readonly error: { readonly code: string; readonly hint: string } };

it('ORC-105 a merge is tried before, checked on what the base then is, and never half done', async () => {
  await using rig = await openRig();
  const { repository } = rig;
  const main = (): string => rig.git(repository, 'rev-parse', 'main');
  const subjects = (): readonly string[] =>
    rig.git(repository, 'log', '--format=%s', 'main').split('\n');
  const report = (id: string): string =>
    rig.read(join(rig.taskDir(id), 'artifacts', 'finalization-report.md'));
  const start = main();

  const bad = await reviewing(rig, 'bad');
  const tried = await rig.must('task', 'finalize', bad, '--json');
  expect(tried.json()).toMatchObject({ finalized: { ready: false, action: 'fix-checks' } });
  expect(report(bad)).toMatch(/sh \.\/check\.sh.*FAIL/i);
  const refused = await rig.orange('task', 'merge', bad, '--yes', '--json');
  expect(refused.code).toBe(1);
  const { code, hint } = refused.json<Refusal>().error;
  expect(code).toBe('checks-failed');
  expect(rig.read(/\S+\.log/.exec(hint)?.[0] ?? '')).toContain('bad.txt is here');
  expect([rig.field(bad, 'status'), main()]).toEqual(['reviewing', start]);

  const [one, two] = [await reviewing(rig, 'one'), await reviewing(rig, 'two')];
  const fine = await rig.must('task', 'finalize', one, '--json');
  expect(fine.json()).toMatchObject({ finalized: { ready: true, risk: 'Low' } });
  expect(report(one)).toMatch(/\*\*Overall\*\*.*\*\*Low\*\*[^]*auto-merge/);
  expect(main()).toBe(start);

  await Promise.all([rig.must('task', 'merge', one, '--yes'), rig.must('approve', two, '--yes')]);
  const [last = '', first = ''] = subjects();
  expect([first, last].toSorted()).toEqual(['Add one', 'Add two']);
  expect(rig.said('checks').slice(-2)).toEqual([
    `merge ${first.slice(4)} on Check`,
    `merge ${last.slice(4)} on ${first}`,
  ]);

  expect(rig.git(repository, 'branch', '--list', 'one', 'two')).toBe('');

  const runs = rig.said('checks').length;
  rig.write(join(repository, 'README.md'), 'mine\n');
  const dirty = await rig.orange('task', 'merge', bad, '--yes', '--json');
  expect(dirty.json<Refusal>().error.code).toBe('merge-refused');
  expect(rig.said('checks')).toHaveLength(runs);
  rig.git(repository, 'checkout', '--quiet', 'README.md');

  const remote = join(rig.root, 'remote.git');
  rig.git(rig.root, 'clone', '--quiet', '--bare', repository, remote);
  rig.git(repository, 'remote', 'add', 'origin', remote);
  const late = await reviewing(rig, 'late');
  rig.go('move');
  const tip = rig.git(repository, 'rev-parse', 'late');
  rig.git(repository, 'worktree', 'add', '--quiet', join(rig.root, 'mine'), 'late');
  await rig.must('task', 'merge', late, '--yes', '--push');
  expect(rig.git(repository, 'rev-parse', 'late')).toBe(tip);
  expect(rig.said('checks').slice(-2)).toEqual([`merge late on ${last}`, 'merge late on Moved']);
  expect(subjects().slice(0, 2)).toEqual(['Add late', 'Moved']);
  expect(rig.git(remote, 'rev-parse', 'main')).toBe(main());
  expect(rig.read(join(repository, 'late.txt'))).toBe('late\n');

  const clash = await reviewing(rig, 'clash', 'README.md');
  change(rig, 'README.md', '# Ours\n');
  const before = main();
  const conflict = await rig.orange('task', 'merge', clash, '--yes', '--json');
  expect(conflict.json<Refusal>().error.code).toBe('merge-conflict');
  await rig.waitForStatus(clash, 'working');
  expect(rig.read(rig.taskFile(clash))).toMatch(/Verdict: FAIL[^]*\n- README\.md\n/);
  await rig.must('reject', bad, '-m', 'Take it away.');
  await rig.waitForStatus(bad, 'working');
  expect(rig.read(rig.taskFile(bad))).toContain('Verdict: FAIL\n\nTake it away.\n');
  expect(main()).toBe(before);
  expect(rig.git(repository, 'status', '--porcelain')).toBe('');
  expect(rig.git(repository, 'worktree', 'list')).not.toContain('trials');
});

it('a check that runs when the daemon is killed is ended, and the merge goes on', async () => {
  await using rig = await openRig();
  const id = await reviewing(rig, 'one');
  rig.go('hang');
  const merging = rig.orange('task', 'merge', id, '--yes');
  const [pid] = await rig.until('the check', () => {
    const said = rig.said('hung').map(Number);
    return said.length > 0 && said;
  });
  await killDaemon(rig);
  expect(isAlive(pid ?? 0)).toBe(true);
  await rig.must('daemon', 'start');
  await rig.waitForStatus(id, 'done');
  await rig.until('the end of the check', () => !isAlive(pid ?? 0));
  expect(rig.git(rig.repository, 'log', '-2', '--format=%s', 'main')).toBe('Add one\nCheck');
  expect(rig.said('checks')).toEqual(['merge one on Check', 'merge one on Check']);
  const trials = join(rig.home, 'run', 'trials');
  await rig.until('no trial', () => !existsSync(trials) || readdirSync(trials).length === 0);
  await merging;
});

it('so is one that was begun, but not noted yet, when the daemon is killed', async () => {
  await using rig = await openRig();
  const id = await reviewing(rig, 'one');
  await rig.must('daemon', 'stop');
  const armed = spawnDaemon(rig, { ORANGE_FAILPOINT: 'command.begun:kill' });
  await rig.until('the armed daemon', () => existsSync(join(rig.home, 'run', 'daemon.sock')));
  rig.go('hang');
  const merging = rig.orange('task', 'merge', id, '--yes');
  await exitCodeOf(armed);
  const [pid] = await rig.until('the check', () => {
    const said = rig.said('hung').map(Number);
    return said.length > 0 && said;
  });
  await rig.must('daemon', 'start');
  await rig.until('the end of the check', () => !isAlive(pid ?? 0));
  await rig.waitForStatus(id, 'done');
  await merging;
});

it('cancelling a task ends a check of its merge at once, and nothing is merged', async () => {
  await using rig = await openRig();
  const id = await reviewing(rig, 'one');
  const before = rig.git(rig.repository, 'rev-parse', 'main');
  rig.go('hang');
  const merging = rig.orange('task', 'merge', id, '--yes', '--json');
  const [pid] = await rig.until('the check', () => {
    const said = rig.said('hung').map(Number);
    return said.length > 0 && said;
  });
  await rig.must('task', 'cancel', id, '--yes');
  const refused = (await merging).json<{ error: { code: string; message: string } }>().error;
  expect(refused.code).toBe('checks-failed');
  expect(refused.message).toContain('was stopped');
  expect(rig.field(id, 'status')).toBe('cancelled');
  expect(isAlive(pid ?? 0)).toBe(false);
  expect(rig.git(rig.repository, 'rev-parse', 'main')).toBe(before);
  expect(rig.git(rig.repository, 'status', '--porcelain')).toBe('');
  expect(rig.git(rig.repository, 'worktree', 'list')).not.toContain('trials');
});

it('cancelling a task ends a check of its Handoff at once', async () => {
  const worker = `add Plan 'APPROACH: x'
    await_status working
    work one
    add Handoff 'DONE: one file'
    idle`;
  await using rig = await createRig({
    agents: { plain: { worker } },
    policy: { checks: { handoff: ['echo $$ > "$ORANGE_HOME/check-pid"; sleep 600; exit 1'] } },
  });
  const id = await rig.create('slow', 'x', '--harness', 'plain', '--review-harness', 'plain');
  const note = join(rig.home, 'check-pid');
  const pid = await rig.until('the check', () => existsSync(note) && Number(rig.read(note)));
  await rig.must('task', 'cancel', id, '--yes');
  expect(rig.field(id, 'status')).toBe('cancelled');
  expect(isAlive(pid)).toBe(false);
  expect(rig.history(id).filter(({ type }) => type === 'check.ran')).toEqual([]);
});
