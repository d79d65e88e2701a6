import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { findMutations, type Node } from './mutations.js';
import { type Mutant, withSwitches } from './schemata.js';

const SOURCE = `
let sum = 0;
for (let n = first; n < last; n += 1) {
  if (n % 2 === 0 && n !== skipped) sum += n;
}
return sum > 10 ? 'many' : 'few';
`;

/** What the switched source gives with a mutant on. */
function run(active: number, [first, last, skipped]: readonly number[]): unknown {
  const inFunction = `function f(first, last, skipped) {${SOURCE}}`;
  const program = parseAst(inFunction, { lang: 'ts' }) as unknown as Node;
  const { mutations, loopGuards } = findMutations(inFunction, program);
  const mutants: Mutant[] = mutations.map((mutation, at) => ({ ...mutation, id: at + 1 }));
  const code = withSwitches(inFunction, mutants, loopGuards);
  let rounds = 0;
  const guard = () => {
    if (++rounds > 1000) throw new Error('for ever');
  };
  const call = new Function('__mutant', '__mutantLoop', 'args', `${code}; return f(...args);`);
  try {
    return call((id: number) => id === active, guard, [first, last, skipped]);
  } catch (error) {
    return String(error);
  }
}

describe('a source with switches', () => {
  it('does what it did while none is switched on', () => {
    expect(run(0, [0, 7, -1])).toBe('many');
    expect(run(0, [0, 7, 6])).toBe('few');
  });

  it('holds each mutant once, switched by its id, those within others too', () => {
    const arguments_ = [
      [0, 7, -1],
      [0, 7, 6],
      [0, 6, -1],
      [10, 11, -1],
      [1, 6, 4],
      [0, 0, 0],
    ];
    const without = JSON.stringify(arguments_.map((each) => run(0, each)));
    const noticed = Array.from({ length: 24 }, (_, at) => at + 1).filter(
      (id) => JSON.stringify(arguments_.map((each) => run(id, each))) !== without,
    );
    expect(noticed.length).toBeGreaterThanOrEqual(16);
  });

  it('stops a loop that a mutant lets run for ever', () => {
    const outcomes = Array.from({ length: 24 }, (_, at) => run(at + 1, [0, 7, -1]));
    expect(outcomes).toContain('Error: for ever');
  });

  it('leaves out a statement, whatever stands around it', () => {
    const source = 'if (a) f(); else g();';
    const { mutations } = findMutations(source, parseAst(source) as unknown as Node);
    const statement = mutations.findIndex(({ start }) => source.startsWith('f()', start));
    const code = withSwitches(source, [{ ...mutations[statement]!, id: 1 }], []);
    const called: string[] = [];
    const push = (name: string) => () => called.push(name);
    for (const a of [true, false]) {
      new Function('a', 'f', 'g', '__mutant', code)(a, push('f'), push('g'), () => true);
    }
    expect(called).toEqual(['g']);
  });
});
