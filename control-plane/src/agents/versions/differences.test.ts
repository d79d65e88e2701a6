import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences } from './differences.js';

describe('differences', () => {
  it('are none between what is equal, in whatever order its fields stand', () => {
    expect(differences({ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 })).toEqual([]);
  });

  it('name the innermost field, and show lists whole', () => {
    const before = { name: 'Ada', tools: [{ type: 'end_call' }], turn_taking: { min: 200, max: 900 } };
    const after = { name: 'Ada', tools: [], turn_taking: { min: 300, max: 900 } };
    expect(differences(before, after)).toEqual([
      { path: 'tools', before: [{ type: 'end_call' }], after: [] },
      { path: 'turn_taking.min', before: 200, after: 300 },
    ]);
  });

  it('show what only one of them has', () => {
    expect(differences({ a: 1 }, { b: null })).toEqual([
      { path: 'a', before: 1, after: undefined },
      { path: 'b', before: undefined, after: null },
    ]);
  });

  it('are the same the other way round, turned about', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const turned = differences(b, a).map(({ path, before, after }) => ({
          path,
          before: after,
          after: before,
        }));
        expect(turned).toEqual(differences(a, b));
      }),
    );
  });
});
