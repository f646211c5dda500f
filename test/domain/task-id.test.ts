import { customAlphabet } from 'nanoid';
import { describe, expect, it } from 'vitest';
import { isTaskId, TASK_ID_ALPHABET, TASK_ID_LENGTH } from '../../src/domain/task-id.js';

const ids = Array.from({ length: 2000 }, customAlphabet(TASK_ID_ALPHABET, TASK_ID_LENGTH));

describe('a task id', () => {
  it('ORA-18 has exactly 21 characters', () => {
    expect(new Set(ids.map((id) => id.length))).toEqual(new Set([21]));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('ORA-19 is made of digits and letters only, and of all of them', () => {
    expect(new Set(ids.join(''))).toEqual(new Set(TASK_ID_ALPHABET));
    expect(TASK_ID_ALPHABET).toMatch(/^[0-9A-Za-z]{62}$/);
  });

  it('ORA-20 can stand unquoted as an argument and as a directory name', () => {
    for (const id of ids) expect(isTaskId(id)).toBe(true);
    for (const bad of ['-x', '', 'a/b', '..', 'a b', '$(id)', 'ä'])
      expect(isTaskId(bad)).toBe(false);
  });
});
