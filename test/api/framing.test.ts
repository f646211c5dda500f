import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { createLineDecoder, encodeLine } from '../../src/api/framing.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('framing', () => {
  it('gives back what was sent, however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (messages, cuts) => {
          const whole = bytes(messages.map((message) => encodeLine(message)).join(''));
          const decoder = createLineDecoder(1024 * 1024);
          const lines: string[] = [];
          for (let offset = 0, turn = 0; offset < whole.length; turn += 1) {
            const size = cuts[turn % cuts.length] ?? 1;
            lines.push(...decoder.push(whole.subarray(offset, offset + size)).lines);
            offset += size;
          }
          expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
            messages.map((message) => JSON.parse(JSON.stringify(message)) as unknown),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does not cut at U+2028, U+2029, NEL, CR or an escaped line feed', () => {
    const message = { text: 'a\u2028b\u2029c\u0085d\re\nf' };
    const framed = createLineDecoder(1000).push(bytes(encodeLine(message)));
    expect(framed.lines.map((line) => JSON.parse(line) as unknown)).toEqual([message]);
  });

  it('keeps a byte order mark inside the line', () => {
    expect(createLineDecoder(100).push(bytes('\uFEFF{}\n')).lines).toEqual(['\uFEFF{}']);
  });

  it('refuses a line above the limit without waiting for its end and holds none of it', () => {
    const decoder = createLineDecoder(10);
    expect(decoder.push(bytes('12345')).problem).toBeNull();
    expect(decoder.push(bytes('678901'))).toEqual({ lines: [], problem: 'line-too-long' });
    expect(decoder.push(bytes('\nmore\n'))).toEqual({ lines: [], problem: 'line-too-long' });
  });

  it('accepts a line of exactly the limit', () => {
    expect(createLineDecoder(5).push(bytes('12345\n'))).toEqual({
      lines: ['12345'],
      problem: null,
    });
  });

  it('gives the good lines before bytes that are not UTF-8', () => {
    const framed = createLineDecoder(100).push(
      Buffer.concat([bytes('{}\n'), Buffer.from([0xff, 0xfe, 0x0a])]),
    );
    expect(framed).toEqual({ lines: ['{}'], problem: 'not-utf8' });
  });

  it('knows of half a line', () => {
    const decoder = createLineDecoder(100);
    decoder.push(bytes('{"id"'));
    expect(decoder.hasPartialLine()).toBe(true);
    decoder.push(bytes(':1}\n'));
    expect(decoder.hasPartialLine()).toBe(false);
  });
});
