import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, clipText, revealText } from '../../src/domain/clean-text.js';
import { leastCpuMs } from '../rigs/measure-cpu.js';

describe('cleanText', () => {
  it.each([
    ['plain text with é, 漢字 and 🍊', 'plain text with é, 漢字 and 🍊'],
    ['tabs\tand\nlines\r\nstay', 'tabs\tand\nlines\nstay'],
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b[?25lhidden\u001b[2J', 'hidden'],
    ['\u001b]0;title\u0007after', 'after'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b]52;c;c2VjcmV0 never ended\nnext line', '\nnext line'],
    ['\u001bPdevice\u001b\\after', 'after'],
    ['\u001b_application\u001b\\after', 'after'],
    ['\u009b31mC1\u009d0;title\u009cdone', 'C1done'],
    ['over\rwritten\b\u0007\u007f\u0000', 'overwritten'],
    ['\u001b(Bcharset \u001b7saved\u001b', 'charset saved'],
    ['abc\u202edcba\u2066\u200b\ufeff', 'abcdcba'],
    ['one\u2028two', 'onetwo'],
    ['half \ud83c of a pair', 'half \ufffd of a pair'],
  ])('makes %j safe', (dirty, clean) => {
    expect(cleanText(dirty)).toBe(clean);
  });

  it('F69 never lets a control or formatting character through', () => {
    const bytes = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '\u001b',
          '[',
          ']',
          'P',
          '\\',
          '\u0007',
          '\u009b',
          ';',
          '~',
          '\r',
          '\u202e',
        ),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
      maxLength: 80,
    });
    fc.assert(
      fc.property(bytes, (text) => {
        const clean = cleanText(text).replace(/[\n\t]/g, '');
        expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(cleanText(clean)).toBe(clean);
      }),
      { numRuns: 2000 },
    );
  });

  it('stays fast on a screen made of sequences that never end', () => {
    const screens = ['\u001b]'.repeat(200_000), `\u001b[${'1;'.repeat(200_000)}`];
    expect(leastCpuMs(() => screens.map(cleanText), 500)).toBeLessThan(500);
  });
});

describe('revealText', () => {
  it('names what a reader would not see, and keeps the rest', () => {
    expect(revealText('a\u001b[31mb\u0007\r\n\tc')).toBe('a^[[31mb^G^M\n\tc');
    expect(revealText('if (\u202eadmin\u2066) // \u200b\u009b\u007f')).toBe(
      'if (<U+202E>admin<U+2066>) // <U+200B><U+009B><U+007F>',
    );
    expect(revealText('\ue001漢字 é \ud800')).toBe('<U+E001>漢字 é \ufffd');
  });

  it('leaves nothing for cleanText to drop', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = revealText(text);
        expect(cleanText(shown)).toBe(shown);
      }),
    );
  });
});

describe('clipText', () => {
  it('counts wide characters as two columns and marks as none', () => {
    expect(clipText('abcdef', 3)).toBe('abc');
    expect(clipText('漢字か', 5)).toBe('漢字');
    expect(clipText('e\u0301e\u0301x', 2)).toBe('e\u0301e\u0301');
    expect(clipText('short', 10)).toBe('short');
  });
});
