import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal } from '../../src/cli/terminal.js';

function rig() {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const said: string[] = [];
  stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  return { stdin, said, terminal: createTerminal({ stdin, stdout, stderr }, {}) };
}

describe('a question', () => {
  it('is answered by a line', async () => {
    const { stdin, terminal } = rig();
    const asked = terminal.ask('Really? ');
    stdin.write('y\n');
    expect(await asked).toBe('y');
  });

  it('that is not answered leaves the cursor on a line of its own', async () => {
    const { stdin, said, terminal } = rig();
    const asked = terminal.ask('Really? ');
    stdin.end();
    expect(await asked).toBe('');
    await new Promise((resolve) => setImmediate(resolve));
    expect(said.join('')).toBe('Really? \n');
  });
});

it('a pager is not for what is no terminal', async () => {
  const { terminal } = rig();
  expect(await terminal.page('line\n'.repeat(500))).toBe(false);
});
