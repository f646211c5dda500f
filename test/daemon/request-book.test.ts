import { describe, expect, it } from 'vitest';
import { RequestBook } from '../../src/daemon/request-book.js';

const FULL = { kind: 'io-failed', path: '/x', operation: 'replace', code: 'ENOSPC' } as const;
const LATER = { kind: 'internal', message: 'later' } as const;

describe('the request book', () => {
  it('answers when everything done on behalf of a request is done', async () => {
    const book = new RequestBook();
    const answer = book.follow('r1', 'change');
    book.begin('r1');
    book.begin('r1');
    book.note('r1', { failure: null, taskId: 'task' });
    book.end('r1');
    await expect(Promise.race([answer, Promise.resolve('waits')])).resolves.toBe('waits');
    book.end('r1');
    await expect(answer).resolves.toEqual({ ok: true, value: 'task' });
  });

  it('answers with the first failure', async () => {
    const book = new RequestBook();
    const answer = book.follow('r1', 'change');
    book.begin('r1');
    book.note('r1', { failure: FULL, taskId: 'task' });
    book.note('r1', { failure: LATER, taskId: 'task' });
    book.end('r1');
    await expect(answer).resolves.toEqual({ ok: false, failure: FULL });
  });

  it('calls a task created although its first start failed', async () => {
    const book = new RequestBook();
    const answer = book.follow('r1', 'creation');
    book.begin('r1');
    book.note('r1', { failure: null, taskId: 'task' });
    book.note('r1', { failure: FULL, taskId: 'task' });
    book.end('r1');
    await expect(answer).resolves.toEqual({ ok: true, value: 'task' });
  });

  it('fails a creation that made no task', async () => {
    const book = new RequestBook();
    const answer = book.follow('r1', 'creation');
    book.begin('r1');
    book.note('r1', { failure: FULL, taskId: null });
    book.end('r1');
    await expect(answer).resolves.toMatchObject({ ok: false, failure: FULL });
  });

  it('does not make a request wait for another task whose slot it freed', () => {
    const book = new RequestBook();
    void book.follow('r1', 'change');
    book.begin('r1');
    expect(book.ownerOf('r1', 'task')).toBe('r1');
    book.note('r1', { failure: null, taskId: 'task' });
    expect(book.ownerOf('r1', 'task')).toBe('r1');
    expect(book.ownerOf('r1', 'other')).toBeNull();
    expect(book.ownerOf(null, 'task')).toBeNull();
  });

  it('takes no notice of what nobody asked for', () => {
    const book = new RequestBook();
    book.begin(null);
    book.note(null, { failure: FULL, taskId: null });
    book.end(null);
    book.end('never');
    expect(book.ownerOf('never', 'task')).toBe('never');
  });
});
