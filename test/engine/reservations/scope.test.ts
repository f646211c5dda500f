import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScopeIndex } from '../../../src/engine/reservations/scope-index.js';
import { readScope, readScopes } from '../../../src/engine/reservations/scope.js';

function meet(one: string, other: string): boolean {
  const index = new ScopeIndex();
  index.add('holder', readScopes([other]));
  return index.find(readScopes([one]), { except: 'me', most: 10 }).length > 0;
}

describe('ORB-67 overlap is what files decide', () => {
  it.each([
    ['src/a.ts', 'src/a.ts', true],
    ['./src//a.ts', 'src/x/../a.ts', true],
    ['src/a.ts', 'src/A.ts', false],
    ['src/a.ts', 'src/a.tsx', false],
    ['src/auth/', 'src/auth/login.ts', true],
    ['src/auth', 'src/auth/login.ts', true],
    ['src/auth', 'src/authors/list.ts', false],
    ['.', 'src/a.ts', true],
    ['.', '**/*.md', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a.js', false],
    ['src/*.ts', 'src/auth/a.ts', false],
    ['src/**/*.ts', 'src/auth/deep/a.ts', true],
    ['src/**', 'src', true],
    ['**/*.md', 'docs/', true],
    ['**/*.md', 'docs/a.txt', false],
    ['**/*.md', 'lib/v1.2/', true],
    ['lib/v1.2', 'lib/v1.2/a.ts', true],
    ['*.md', '.github', false],
    ['src/*.ts', 'src/a*', true],
    ['src/*.ts', 'src/*.js', false],
    ['src/?.ts', 'src/ab.ts', false],
    ['src/{a,b}.ts', 'src/b.ts', true],
    ['src/{a,b}.ts', 'src/c.ts', false],
    ['src/{a,b}/', 'src/b/deep.ts', true],
    ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
    ['app/[id]/page.tsx', 'app/i/page.tsx', false],
    ['auth area', 'auth area', true],
    ['auth area', 'auth  area', true],
    ['auth area', 'auth', false],
    ['my file.txt', 'my file.txt', true],
  ])('%s and %s: %s', (one, other, isMet) => {
    expect(meet(one, other)).toBe(isMet);
    expect(meet(other, one)).toBe(isMet);
  });

  it.each(['', ' ', '/etc/passwd', '~/x', '../other', 'a/../../b'])(
    'does not count %j, which is no path inside the repository',
    (text) => {
      expect(readScope(text)).toBeNull();
    },
  );

  it('does not count what is too long for a path', () => {
    expect(readScope('x'.repeat(2000))).toBeNull();
  });

  it('agrees with comparing every pair, however the paths lie', () => {
    const name = fc.constantFrom('a', 'b', 'c', '*', '**', 'a*');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 8 }), path, (held, asked) => {
        const index = new ScopeIndex();
        for (const text of held) index.add(text, readScopes([text]));
        const found = index.find(readScopes([asked]), { except: '', most: 100 });
        const pairs = new Set(held.filter((text) => meet(text, asked)));
        expect(new Set(found.map(({ holder }) => holder))).toEqual(pairs);
      }),
    );
  });

  it('is found in a moment, whatever somebody has declared', () => {
    const nasty = [`${'**/'.repeat(60)}a`, '*a'.repeat(400), `{${'a,'.repeat(400)}b}`];
    const index = new ScopeIndex();
    index.add('holder', readScopes([...nasty, '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}']));
    expect(index.find(readScopes(nasty), { except: 'me', most: 10 })).not.toEqual([]);
  });
});
