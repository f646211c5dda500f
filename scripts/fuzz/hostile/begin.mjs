import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isRefused, standIn } from './fields.mjs';
import { judgeTerminal } from './judge-shown.mjs';
import { readJson } from './judge-record.mjs';

/** Registers the project of a case under its name, or under another after that was refused. */
export async function addProject(scene) {
  const { place, number } = scene;
  const path = place.makeRepository(number);
  const add = (extra, name) => command(scene, ['project', 'add', path, ...extra, `--name=${name}`]);
  if (isRefused('project', scene.said.project)) {
    await beRefused(scene, 'project', (extra) => add(extra, scene.given.project));
    scene.said.project = standIn('project', number);
  }
  await beTaken(scene, 'project', await add(['--json'], scene.said.project));
}

/** Makes the task of a case, each text that has to be refused first, and shows its agent what to print. */
export async function createTask(scene) {
  for (const field of ['summary', 'branch', 'context', 'tag']) {
    if (!(await mustBeRefused(scene, field))) continue;
    await beRefused(scene, field, (extra) =>
      create(scene, extra, { ...plain(scene), [field]: scene.given[field] }),
    );
    scene.said[field] = standIn(field, scene.number);
  }
  const made = await create(scene, ['--json'], scene.said);
  scene.id = (await beTaken(scene, 'task', made))?.id ?? null;
  if (scene.id === null) throw new Error(`not made: ${made.stdout}${made.stderr}`);
  const got = join(scene.place.root, 'got', scene.id);
  mkdirSync(got, { recursive: true });
  writeFileSync(join(got, 'screen.tmp'), scene.said.screen);
  renameSync(join(got, 'screen.tmp'), join(got, 'screen'));
}

async function mustBeRefused(scene, field) {
  const text = scene.given[field];
  if (isRefused(field, text)) return true;
  return field === 'branch' && !(await isGitBranch(scene, text));
}

/** Whether git itself takes a name for a new branch. */
async function isGitBranch({ place }, name) {
  const argv = ['check-ref-format', '--branch', name];
  const expanded = await place.git('/', ...argv).catch(() => '');
  return expanded === `${name}\n`;
}

function plain({ said, number }) {
  const fields = ['summary', 'branch', 'context', 'tag'];
  return { ...said, ...Object.fromEntries(fields.map((field) => [field, standIn(field, number)])) };
}

function create(scene, extra, { project, branch, summary, context, tag }) {
  const options = [`--project=${project}`, '--harness=noting', '--review-harness=noting'];
  const texts = ['--context=-', `--tag=${tag}`, '--', branch, summary];
  return command(scene, ['task', 'create', ...extra, ...options, ...texts], context);
}

/** The command as a person gives it; null for texts that no argument can hold. */
function command({ place }, args, input) {
  return args.some((argument) => argument.includes('\0')) ? null : place.orange(args, input);
}

/** Asks for the same twice, as JSON and for people: each has to be an error that is named. */
async function beRefused(scene, field, ask) {
  const before = leftBehind(scene);
  scene.refusals += 1;
  const asJson = await ask(['--json']);
  if (asJson === null) return beRefusedOverTheWire(scene, field, before);
  const { code, stdout } = asJson;
  const { error } = readJson(stdout) ?? {};
  const isNamed = /^[a-z-]+$/.test(error?.code ?? '') && error.message !== '';
  const complain = (problem) => scene.complain('refusal', [`of the ${field} ${problem}`]);
  if (code !== 2 && code !== 1) complain(`ends with ${code}: ${stdout.slice(0, 200)}`);
  if (!isNamed) complain(`has no name: ${stdout.slice(0, 200)}`);
  scene.complain('json', judgeTerminal(stdout));
  const forPeople = await ask([]);
  scene.complain('terminal', judgeTerminal(forPeople.stdout + forPeople.stderr));
  if (forPeople.code !== code) complain(`ends with ${code} and with ${forPeople.code}`);
  if (leftBehind(scene) !== before) complain('leaves something behind');
}

/** What no argument can hold is asked for as no command would ask. */
async function beRefusedOverTheWire(scene, field, before) {
  const { place, given, repository } = scene;
  const text = given[field];
  const { project, branch, summary, context, tag } = { ...plain(scene), [field]: text };
  const add = { path: repository, name: text, defaultBranch: null, poolSize: null };
  const agents = { harness: 'noting', reviewHarness: 'noting' };
  const extensions = { tags: [tag] };
  const made = { project, branch, summary, context, status: 'pending', extensions, ...agents };
  const request =
    field === 'project' ? { kind: 'project.add', ...add } : { kind: 'task.create', ...made };
  const { failure } = await place.daemon.client.submit(request);
  const kinds = field === 'branch' ? ['branch-invalid', 'invalid-argument'] : ['invalid-argument'];
  const wrong = kinds.includes(failure?.kind) ? [] : [`of the ${field} is not named`];
  const left = leftBehind(scene) === before ? [] : [`of the ${field} leaves something behind`];
  scene.complain('refusal', [...wrong, ...left]);
}

/** What a refused request may not change: projects and tasks of this case, refs of its repository. */
function leftBehind({ place, said, repository }) {
  const projects = readJson(textOf(join(place.home, 'projects.json'))) ?? [];
  const own = projects.filter(({ path }) => path === repository);
  const tasks = join(place.home, 'tasks', said.project);
  const isName = !said.project.includes('/') && !said.project.includes('\0');
  const made = isName && said.project.length < 65 && existsSync(tasks) ? readdirSync(tasks) : [];
  const heads = readdirSync(join(repository, '.git', 'refs', 'heads'), { recursive: true });
  return JSON.stringify([own, made, heads]);
}

function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

async function beTaken(scene, what, answer) {
  if (answer.code === 0) return readJson(answer.stdout);
  const said = `${answer.stdout}${answer.stderr}`.slice(0, 500);
  scene.complain('refusal', [`the ${what} was refused, though it is fit: ${said}`]);
  throw new Error(`no ${what}: ${said}`);
}
