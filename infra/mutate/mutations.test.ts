import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { findMutations, type Node } from './mutations.js';

function found(source: string): string[] {
  const program = parseAst(source, { lang: 'ts', sourceType: 'module' }) as unknown as Node;
  return findMutations(source, program).mutations.map(({ start, end, replacement, target }) =>
    target === 'statement' ? `- ${source.slice(start, end)}` : `${source.slice(start, end)} → ${replacement}`,
  );
}

describe('the mutations of a source', () => {
  it.each([
    ['f(a < b);', ['a < b → a <= b', 'a < b → a >= b']],
    ['f(a === b);', ['a === b → a !== b']],
    ['f(a + b * c);', ['a + b * c → a - b * c', 'b * c → b / c']],
    ['f((a || b) && c);', ['(a || b) && c → (a || b) || c', 'a || b → a && b']],
    ['f(a ?? b);', ['a ?? b → (a ) && ( b)']],
    ['f(!a);', ['!a → a']],
    ['f(a ? b : c);', ['a → true', 'a → false']],
    ['f(true, 0, 1, 7, 60);', ['true → false', '0 → 1', '1 → 0', '7 → 8', '60 → 120']],
    ['n += 7;', ['n += 7 → n -= 7', '7 → 8']],
    ["f('code', '');", ["'code' → ''", "'' → 'mutated'"]],
    ['f(`ab`);', ["`ab` → ''"]],
    ['f(Math.min(a, b));', ['Math.min(a, b) → Math.max(a, b)']],
    ['f(all.some(g));', ['all.some(g) → all.every(g)']],
  ])('%s', (source, expected) => {
    expect(found(source)).toEqual([`- ${source}`, ...expected]);
  });

  it('are conditions and whole statements, too', () => {
    expect(found('if (a) throw b;')).toEqual(['a → true', 'a → false', '- throw b;']);
    expect(found('async () => { await save(x); n += y; }')).toEqual(
      expect.arrayContaining(['- await save(x);', '- n += y;']),
    );
  });

  it.each([
    ['types', "type A = 'x' | 1; let a: 'y' = b as 'z';"],
    ['modules', "import { a } from './a.js'; export * from './b.js';"],
    ['keys', 'const { a: b } = c;'],
    ['words for people', "const a = new Error('No number is configured.');"],
    ['descriptions', "const a = z.string().describe('id').meta({ title: 'Id' });"],
    ['log records', "log.info({ a: 1 }, 'dialed'); this.#options.log.warn(a + b);"],
    ['sums of texts', 'const a = b + `, c `;'],
    ["a constructor's super", 'class A extends B { constructor() { super(c); } }'],
  ])('are none of %s', (_what, source) => {
    expect(found(source)).toEqual([]);
  });

  it('looks through the types around an expression', () => {
    expect(found('const a = (b < c) as boolean satisfies D;')).toEqual(['b < c → b <= c', 'b < c → b >= c']);
  });
});
