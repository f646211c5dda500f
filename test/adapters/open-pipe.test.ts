import { expect, it } from 'vitest';
import { openPipe, type PipeEnd } from '../../src/adapters/open-pipe.js';

const PROGRAM = { program: '/bin/cat', argv: [], env: {} };

function refuse(): never {
  throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
}

it('a program whose start is refused at once ends like one that could not be started', async () => {
  const ended: PipeEnd[] = [];
  const end = new Promise<void>((resolve) => {
    const onEnd = (told: PipeEnd): void => {
      ended.push(told);
      resolve();
    };
    const pipe = openPipe({ ...PROGRAM, onText: () => undefined, onEnd }, refuse);
    pipe.write('to nobody');
    expect(ended).toEqual([]);
  });
  await end;
  expect(ended).toEqual([{ code: 'ENOMEM', errors: '' }]);
});

it('a program that is spoken to answers until it is dropped, and its end is told once', async () => {
  const ended: PipeEnd[] = [];
  const said = new Promise<string>((resolve) => {
    const pipe = openPipe({
      ...PROGRAM,
      onText: (text) => {
        resolve(text);
        pipe.drop();
        pipe.drop();
      },
      onEnd: (told) => void ended.push(told),
    });
    pipe.write('hello\n');
  });
  expect(await said).toBe('hello\n');
  expect(ended).toEqual([{ code: null, errors: '' }]);
});
