import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonExcess } from './json-shape.js';

const LIMITS = { depth: 10, values: 1000 };
const MEBIBYTE = 1024 * 1024;
const excess = (text: string, limits = LIMITS) => jsonExcess(Buffer.from(text), limits);

describe('JSON text is refused before it is parsed', () => {
  it.each<[string, string, 'depth' | 'values']>([
    ['a mebibyte of brackets', '['.repeat(MEBIBYTE), 'depth'],
    ['a mebibyte of braces with names', '{"a":'.repeat(MEBIBYTE / 5), 'depth'],
    ['90,000 members', `{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join(',')}}`, 'values'],
    ['half a million items', `[${'1,'.repeat(500_000)}1]`, 'values'],
    ['as many empty lists', `[${'[],'.repeat(300_000)}[]]`, 'values'],
  ])('%s: of which only the beginning is read', (_, text, limit) => {
    const found = excess(text);
    expect(found?.limit).toBe(limit);
    expect(found!.bytesRead).toBeLessThan(20_000);
  });

  it('counts nothing within texts', () => {
    expect(excess(JSON.stringify({ a: '[{,"\\'.repeat(50_000), '[[[[[[[[[[[[': ',,,' }))).toBeNull();
    expect(excess(JSON.stringify('\\"[[[[[[[[[[[[[[['))).toBeNull();
  });

  it('counts what there is, for any JSON', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, depth) => {
        const found = excess(JSON.stringify(value), { depth, values: Number.POSITIVE_INFINITY });
        expect(found?.limit).toBe(depthOf(value) > depth ? 'depth' : undefined);
      }),
    );
    const numbers = (count: number) => JSON.stringify(Array(count).fill(0));
    expect(excess(numbers(1000))).toBeNull();
    expect(excess(numbers(1001))?.limit).toBe('values');
  });
});
