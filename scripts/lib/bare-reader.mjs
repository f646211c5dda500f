import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

// The least that somebody has to do who wants to know every task: read both files of each, parse the
// frontmatter as YAML and every line of the history as JSON. Run as `node bare-reader.mjs HOME`.
const tasks = join(process.argv[2], 'tasks');
let count = 0;
for (const project of readdirSync(tasks)) {
  for (const id of readdirSync(join(tasks, project))) {
    const text = readFileSync(join(tasks, project, id, 'TASK.md'), 'utf8');
    const end = text.indexOf('\n---\n', 4);
    const fields = parse(text.slice(4, end));
    const lines = readFileSync(join(tasks, project, id, 'history.jsonl'), 'utf8').split('\n');
    const events = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
    if (fields.id === id && events.length > 0) count += 1;
  }
}
process.stdout.write(`${count}\n`);
