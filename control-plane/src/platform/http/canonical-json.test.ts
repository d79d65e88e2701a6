import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.js';

describe('canonical JSON', () => {
  it('is one text for all orders of members', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  });

  it('keeps the order of lists, and members that are named as what objects inherit', () => {
    expect(canonicalJson([2, 1])).toBe('[2,1]');
    expect(canonicalJson(JSON.parse('{"__proto__":{"b":1},"constructor":2}'))).toBe(
      '{"__proto__":{"b":1},"constructor":2}',
    );
  });

  it('means the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
