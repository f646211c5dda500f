import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathsBelow } from './paths-below.mjs';
import { readText } from './read-home.mjs';
import { violation } from './violation.mjs';

/** I5: every content that an agent has entered in the ledger is under a ref, or still on disk. */
export async function checkWork({ home, chaos, repository, git }) {
  const lines = readFileSync(join(chaos, 'blobs'), 'utf8').split('\n');
  const left = lines.flatMap((line) => {
    const [blob, taskId] = line.split(' ');
    return taskId === undefined ? [] : [{ blob, taskId }];
  });
  const listed = await git(repository, 'rev-list', '--objects', '--no-object-names', '--all');
  const kept = new Set(listed.split('\n'));
  const missing = left.filter(({ blob }) => !kept.has(blob));
  if (missing.length === 0) return [];
  const onDisk = blobsUnder(join(home, 'workspaces'));
  return missing
    .filter(({ blob }) => !onDisk.has(blob))
    .map(({ blob, taskId }) => violation('I5', `${taskId} ${blob}`, 'this content is lost'));
}

function blobsUnder(folder) {
  const blobs = new Set();
  for (const path of pathsBelow(folder).filter((each) => each.endsWith('.txt'))) {
    const text = readText(path);
    if (text === null) continue;
    const bytes = Buffer.from(text);
    blobs.add(createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'));
  }
  return blobs;
}
