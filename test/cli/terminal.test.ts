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

describe('the input', () => {
  it('that does not end by a deadline is none, and holds nothing up', async () => {
    const { stdin, terminal } = rig();
    const deadline = new AbortController();
    const read = terminal.readInput(deadline.signal);
    stdin.write('{"session_id":');
    deadline.abort();
    expect(await read).toBeNull();
    expect(stdin.destroyed).toBe(true);
  });

  it('that ends before it is read whole', async () => {
    const { stdin, terminal } = rig();
    stdin.end('one\ntwo\n');
    expect(await terminal.readInput(new AbortController().signal)).toBe('one\ntwo\n');
  });
});
