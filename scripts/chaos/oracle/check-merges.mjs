import { isFinal } from './check-history.mjs';
import { violation } from './violation.mjs';

const BASE = 'main';
const TRAILER = 'Orange-Task';
const ENDS = ['task.merged', 'pr.merged'];

/**
 * I1, I5, I7, G13: the base is what the histories say. Every merge that was recorded is in its first-parent
 * line, once; every one in there was recorded; and the base has what it had at the last look, and
 * what was pushed. `base.tip` is what it was then.
 */
export async function checkMerges({ repository, hub, git, base }, tasks) {
  const line = await readLine(git, repository);
  const pushed = (await git(hub, 'rev-parse', BASE)).trim();
  const [tip] = line;
  const problems = [];
  if (base.tip === null || line.some(({ commit }) => commit === base.tip)) {
    base.tip = tip?.commit ?? null;
  } else {
    const what = `is at ${tip?.commit}, which does not follow from ${base.tip}`;
    problems.push(violation('I7', BASE, what));
  }
  if (!line.some(({ commit }) => commit === pushed)) {
    problems.push(violation('I7', 'pushed', `${pushed} was pushed, which ${BASE} does not have`));
  }
  return [...problems, ...repeatedIn(line), ...tasks.flatMap((task) => checkTask(task, line))];
}

/** The commits that the base has been at, newest first, with the tasks that they say they are of. */
async function readLine(git, repository) {
  const format = `%H %(trailers:key=${TRAILER},valueonly,separator=%x20)`;
  const shown = await git(repository, 'log', '--first-parent', `--format=${format}`, BASE, '--');
  return shown.split('\n').flatMap((text) => {
    const [commit = '', ...ids] = text.split(' ').filter(Boolean);
    return commit === '' ? [] : [{ commit, ids }];
  });
}

function repeatedIn(line) {
  const ids = line.flatMap((entry) => entry.ids);
  const repeated = new Set(ids.filter((id, index) => ids.indexOf(id) !== index));
  return [...repeated].map((id) => violation('I5', id, `${BASE} has its merge more than once`));
}

function checkTask({ id, fields, events }, line) {
  const merged = events.find(({ type }) => type === 'task.merged');
  const entry = line.find(({ ids }) => ids.includes(id));
  if (merged === undefined) return checkUnmerged({ id, fields, events, entry });
  if (!line.some(({ commit }) => commit === merged.commit)) {
    const what = `was merged as ${merged.commit}, which ${BASE} does not have`;
    return [violation('I1', id, what)];
  }
  if (entry?.commit === merged.commit) return [];
  const found = entry === undefined ? 'no commit' : entry.commit;
  const what = `was merged as ${merged.commit}, but by its name there is ${found}`;
  return [violation('I1', id, what)];
}

/** One that was cancelled while it was being merged may be in the base all the same. */
function checkUnmerged({ id, fields: { status }, events, entry }) {
  if (status === 'done' && !events.some(({ type }) => ENDS.includes(type))) {
    return [violation('I1', id, 'is done, and its history has no merge')];
  }
  if (entry === undefined || isFinal(status)) return [];
  return [violation('I1', id, `${entry.commit} is its merge, and its history has none`)];
}
