import { describe, expect, it } from 'vitest';
import { paintFrame } from '../../src/tui/paint-frame.js';

describe('painting a frame', () => {
  it('writes nothing when nothing changed', () => {
    expect(paintFrame(['a', 'b'], ['a', 'b'])).toBe('');
  });

  it('writes only the lines that changed', () => {
    const painted = paintFrame(['one', 'two'], ['one', 'three']);
    expect(painted).toContain('\u001B[2;1H\u001B[2Kthree');
    expect(painted).not.toContain('one');
  });

  it('erases what the next frame no longer has', () => {
    expect(paintFrame(['a', 'b', 'c'], ['a'])).toContain('\u001B[2;1H\u001B[J');
  });
});
