import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { write } from '../../lib/throwaway-root.mjs';
import { judgeNotice, judgeTerminal } from './judge-shown.mjs';
import { readFolder, variablesOf } from './scene.mjs';

const DUMP = '#!/bin/sh\nprintf \'%s\\0\' "$@" > "$OUT/$(basename "$0")"\nenv -0 > "$OUT/env"\n';
const PROGRAMS = { linux: 'notify-send', darwin: 'osascript' };

/** The words of every text as title and text of a notice, to each desktop and to the person's command. */
export async function lookAtNotices(parts, { root, env, texts }) {
  const bin = join(root, 'bin');
  for (const name of [...Object.values(PROGRAMS), 'hook']) {
    write(join(bin, name), DUMP);
    chmodSync(join(bin, name), 0o755);
  }
  const problems = [];
  for (const { number, text } of texts) {
    for (const [platform, program] of Object.entries(PROGRAMS)) {
      const out = join(root, 'notices', `${platform}-${number}`);
      mkdirSync(out, { recursive: true });
      const path = `${bin}:${env.PATH}`;
      await tell(parts, {
        platform,
        text,
        hook: join(bin, 'hook'),
        env: { ...env, PATH: path, OUT: out },
      });
      const wrong = judgeFolder(out, { program, text });
      problems.push(
        ...wrong.map((problem) => ({ sink: 'notice', problem: `text ${number}: ${problem}` })),
      );
    }
  }
  return problems;
}

async function tell(parts, { platform, text, hook, env }) {
  const settings = () => ({ desktop: true, bell: false, command: [hook, '--'] });
  const log = { write: () => undefined };
  const notifier = parts.createNotifier({ env, platform, settings, run: parts.runCommand, log });
  await notifier.notify({ title: text, text, taskId: null, cause: 'question', count: 1 });
}

function judgeFolder(out, { program, text }) {
  const shown = { text: text.slice(0, 80) };
  const env = join(out, 'env');
  if (!existsSync(env) || !existsSync(join(out, program))) return [`${program} was not run`];
  const variables = variablesOf(readFileSync(env, 'utf8'));
  const argv = readFileSync(join(out, program), 'utf8').split('\0').slice(0, -1);
  const from = argv.indexOf('--');
  const words = argv.slice(from + 1);
  return [
    ...(variables.ORANGE_NOTICE_TITLE === undefined ? [] : judgeNotice(variables, shown)),
    ...(from < 1 || words.length !== 2 ? [`${program} is run with ${JSON.stringify(argv)}`] : []),
    ...words.flatMap((word) => judgeTerminal(word)),
    ...judgeTerminal(words[0] ?? '', shown),
  ];
}

/** What the daemon itself has told by now: each notice whole, and of one line. */
export function judgeTold(root) {
  return readFolder(join(root, 'notices'))
    .filter(({ name }) => name.endsWith('.env'))
    .flatMap(({ text }) => judgeNotice(variablesOf(text)));
}
