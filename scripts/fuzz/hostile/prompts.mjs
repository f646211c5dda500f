import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../../chaos/run.mjs';
import { judgePrompt } from './judge-outside.mjs';

const KIB = 1024;
/** Around each bound that there is: what stays an argument, what one argument may hold, a megabyte. */
export const PROMPT_SIZES = [1, KIB, 100 * KIB - 1, 100 * KIB, 100 * KIB + 1]
  .concat([128 * KIB, 256 * KIB, 512 * KIB, KIB * KIB])
  .toSorted((a, b) => a - b);

/** Prompts of all hostile texts, of every size up to a megabyte, through file, harness and launcher. */
export async function lookAtPrompts(parts, { root, env, texts }) {
  const problems = [];
  for (const [index, bytes] of PROMPT_SIZES.entries()) {
    const directory = join(root, 'prompts', String(index));
    mkdirSync(directory, { recursive: true });
    const prompt = promptOf(texts, { bytes, from: index * STEP });
    const wrong = await judgeHandOver(parts, { directory, env, prompt }).catch((error) => [
      String(error.message).slice(0, LONGEST_WORDS),
    ]);
    problems.push(
      ...wrong.map((problem) => ({ sink: 'prompt', problem: `${bytes} bytes: ${problem}` })),
    );
  }
  return problems;
}

/** What is wrong with a prompt at the end of its way; a way that breaks off rejects. */
async function judgeHandOver(parts, { directory, env, prompt }) {
  const found = await handOver(parts, { directory, env, prompt });
  const wanted = { file: join(directory, 'worker.prompt'), words: {} };
  const isKept = found.kept === prompt;
  return judgePrompt(found, wanted).concat(isKept ? [] : ['what was kept is not the prompt']);
}

const LONGEST_WORDS = 500;

// Each size begins with another text.
const STEP = 16;

/** As many bytes of the texts, one after the other. No prompt has a NUL: every way into one refuses it. */
function promptOf(texts, { bytes, from }) {
  const turned = [...texts.slice(from), ...texts.slice(0, from)];
  const joined = turned.map(({ text }) => text.toWellFormed().replaceAll('\0', '')).join('\n');
  const whole = Buffer.from(joined.repeat(Math.ceil(bytes / Buffer.byteLength(joined))));
  const cut = whole
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return cut.padEnd(cut.length + bytes - Buffer.byteLength(cut), ';');
}

const NOTE = 'printf %s "$1" > "$OUT/argument"; cat "$2" > "$OUT/read"';

async function handOver(parts, { directory, env, prompt }) {
  const promptFile = join(directory, 'worker.prompt');
  const kept = parts.createDiskFiles().replace(promptFile, prompt, 'until-reboot');
  if (!kept.ok) throw new Error(JSON.stringify(kept.failure));
  const settings = { command: ['/bin/sh', '-c', NOTE, 'sh', '{prompt}', '{prompt_file}'] };
  const harness = parts.customHarness(settings, parts.harnessWithoutCommand('noting'));
  const facts = { role: 'worker', taskId: 't', taskFile: 'f', branch: 'b', prompt, promptFile };
  const more = { effort: null, model: null, harnessSession: null, isResuming: false };
  const argv = harness.command({ ...facts, ...more });
  if (!argv.ok) throw new Error(JSON.stringify(argv.failure));
  const order = { cwd: directory, mask: 0o022, argv: argv.value, env: { ...env, OUT: directory } };
  writeFileSync(join(directory, 'worker.launch'), parts.writeLaunchOrder(order));
  writeFileSync(join(directory, 'launcher.sh'), parts.LAUNCHER_SCRIPT);
  const script = join(directory, 'launcher.sh');
  await mustRun('/bin/sh', [script, directory, 'worker', 'given', 'launch', 'session'], { env });
  const read = (name) => readFileSync(join(directory, name), 'utf8');
  return { argument: read('argument'), read: read('read'), kept: read('worker.prompt') };
}
