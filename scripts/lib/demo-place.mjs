import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program.mjs';
import { StepFailed } from './step-failed.mjs';

// The path of a unix socket in the home has to stay under 104 bytes.
const LONGEST_TEMP = 50;

// Quicker than the defaults, so that nobody waits for a demonstration.
const CONFIG = `policy:
  settle_ms: 300
  respawn_backoff_seconds: [0.5, 1, 2]
notify: { desktop: false, bell: false }
`;

const COMMITS = [
  ['Start the sample', { 'README.md': '# Sample\n\nA small project for trying orange.\n' }],
  [
    'Add a greeting',
    {
      'src/greet.js': 'export const greet = (name) => `Hello, ${name}!`;\n',
      'package.json': '{ "name": "sample", "private": true, "type": "module" }\n',
    },
  ],
  ['Say how to run it', { 'docs/usage.md': 'Import `greet` and call it with a name.\n' }],
];

/** Makes a throw-away folder with an empty orange home and a sample repository in it. */
export async function makeDemoPlace() {
  const temp = Buffer.byteLength(tmpdir()) > LONGEST_TEMP ? '/tmp' : tmpdir();
  const folder = realpathSync(mkdtempSync(join(temp, 'orange-')));
  const place = { folder, home: join(folder, 'home'), repository: join(folder, 'sample') };
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(join(place.home, 'config.yaml'), CONFIG);
  mkdirSync(place.repository);
  return place;
}

/** Fills the sample repository with a few files and commits, whatever the user's own git settings are. */
export async function makeSampleRepository(repository) {
  await git(repository, 'init', '--quiet', '--initial-branch=main');
  await git(repository, 'config', 'user.name', 'Sample Author');
  await git(repository, 'config', 'user.email', 'sample@orange.invalid');
  await git(repository, 'config', 'commit.gpgSign', 'false');
  await git(repository, 'config', 'core.hooksPath', '/dev/null');
  for (const [message, files] of COMMITS) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(repository, path, '..'), { recursive: true });
      writeFileSync(join(repository, path), text);
    }
    await git(repository, 'add', '--all');
    await git(repository, 'commit', '--quiet', '--message', message);
  }
}

export async function git(repository, ...args) {
  const ended = await runProgram('git', args, { cwd: repository, timeoutMs: 30_000 });
  if (ended.code === 0) return ended.stdout;
  throw new StepFailed(`git ${args.join(' ')}: ${ended.stderr.trim()}`);
}
