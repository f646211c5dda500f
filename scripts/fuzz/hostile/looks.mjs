import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  judgeEnvironment,
  judgePrompt,
  judgeRepository,
  judgeTyped,
  judgeWindows,
} from './judge-outside.mjs';
import { judgeHistory, judgeRunFiles, judgeTaskFile } from './judge-record.mjs';
import { judgeJson, judgeScreenStream, judgeTerminal, judgeTranscript } from './judge-shown.mjs';
import { readFolder, variablesOf } from './scene.mjs';

const LONGEST_PASTE = 4000;

/** When the first worker has begun: what it was given, and where it runs. */
export async function lookAtStart(scene) {
  const { place, id, said } = scene;
  scene.session = scene.events().find(({ type }) => type === 'agent.spawned').tmux_session;
  const format = '#{session_name}\t#{window_name}\t#{pane_start_command}';
  const rows = (await place.tmux('list-windows', '-a', '-F', format)).trimEnd().split('\n');
  scene.complain('processes', judgeWindows(rows, scene.session));
  lookAtPrompt(scene, 0, { summary: said.summary, branch: said.branch, project: said.project });
  if (scene.note('branch', 0) !== said.branch) scene.complain('prompt', ['another branch']);
  const variables = variablesOf(scene.note('env', 0));
  const inherited = Object.keys(place.env);
  scene.complain('environment', judgeEnvironment(variables, { id, said, inherited }));
}

function lookAtPrompt(scene, order, words) {
  const path = scene.notes('prompt')[order];
  const window = order === 1 ? 'review-1' : 'worker';
  const file = join(scene.runFolder, `${window}.prompt`);
  const found = {
    argument: readFileSync(path, 'utf8'),
    read: scene.note('file', order),
    kept: readFileSync(file, 'utf8'),
  };
  scene.complain('prompt', judgePrompt(found, { file, words }));
}

/** When all has been said and the task is at work again. */
export async function lookAtLife(scene) {
  const { place, id, said } = scene;
  lookAtPrompt(scene, 1, { summary: said.summary });
  lookAtPrompt(scene, 2, { summary: said.summary, feedback: said.feedback });
  const isTold = said.answer.length <= LONGEST_PASTE;
  scene.complain(
    'prompt',
    judgeTyped(scene.note('typed', 0), isTold ? { answer: said.answer } : {}),
  );
  const about = { id, said, status: 'working' };
  await scene.until('its restart', () => scene.taskText().includes('status: working'));
  scene.complain('TASK.md', judgeTaskFile(scene.taskText(), about));
  scene.complain('run', judgeRunFiles(readFolder(scene.runFolder)));
  const show = [process.execPath, place.program, 'task', 'show', id];
  const shown = await place.terminals.run(show);
  const { summary, context, question, answer, feedback, sections, tag } = said;
  const words = { summary, context, question, answer, feedback, sections, tag };
  scene.complain('terminal', judgeScreenStream(shown, words));
  const json = await place.orange(['task', 'show', id, '--json']);
  scene.complain('json', judgeJson(json.stdout, about));
  const diff = await place.orange(['task', 'diff', id, '--full']);
  scene.complain('terminal', judgeTerminal(diff.stdout + diff.stderr));
}

const lines = (text) => text.split('\n').filter(Boolean);

/** When the task is merged: what it leaves for ever. */
export async function lookAtEnd(scene) {
  const { place, id, said, repository } = scene;
  const git = (...args) => place.git(repository, ...args);
  const left = {
    message: await git('log', '-1', '--format=%B', 'main'),
    paths: (await git('ls-tree', '-r', '-z', '--name-only', 'main')).split('\0').filter(Boolean),
    refs: lines(await git('for-each-ref', '--format=%(refname)')),
    settings: lines(await git('config', '--list', '--local')),
    wantedSettings: lines(
      await place.git(join(place.root, 'template'), 'config', '--list', '--local'),
    ),
  };
  scene.complain('git', judgeRepository(left, { id, said }));
  scene.complain('history', judgeHistory(scene.historyText(), { id, said }));
  const kept = readFolder(join(scene.folder, 'transcripts'));
  const screens = kept.filter(({ name }) => name.endsWith('.txt'));
  if (screens.length === 0) scene.complain('transcript', ['there is none']);
  for (const { name, text } of screens) {
    const found = /worker/.test(name) ? judgeTranscript(text, { said }) : judgeTerminal(text);
    scene.complain('transcript', found);
  }
}
