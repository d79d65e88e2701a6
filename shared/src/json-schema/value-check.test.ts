import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from './json-schema.js';
import { expanded } from './references.js';
import { schemaProblems } from './supported-schema.js';
import { valueCheck } from './value-check.js';

const problems = (schema: JsonSchema, value: unknown) =>
  valueCheck(expanded(schema))(value).map(({ path, message }) => `${path.join('.')}: ${message}`);
const fits = (schema: JsonSchema, value: unknown) => problems(schema, value).length === 0;

describe('a value is held against its schema', () => {
  it.each<[JsonSchema, readonly unknown[], readonly unknown[]]>([
    [{ type: 'integer' }, [1, -3], [1.5, '1', null]],
    [{ type: ['string', 'null'] }, ['a', null], [1, [], {}]],
    [{ type: 'object' }, [{}], [[], null, 'a']],
    [{ type: 'array' }, [[]], [{}]],
    [{ enum: ['a', 1, { x: [1] }] }, ['a', 1, { x: [1] }], ['b', { x: [2] }, null]],
    [{ const: null }, [null], [0, '']],
    [{ minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, 'text'], [0.9, 3]],
    [{ exclusiveMinimum: 1, maximum: 3 }, [3], [1, 3.1]],
    [{ multipleOf: 0.01 }, [19.99, 0.3, -7], [0.005, 1.001]],
    [{ minLength: 2, maxLength: 3 }, ['ab', '👍👍👍', 7], ['a', '👍👍👍👍']],
    [{ pattern: 'b+' }, ['abc', 3], ['ac']],
    [{ pattern: '^\\p{Lu}\\d{2}$' }, ['É12'], ['x12', 'E1']],
    [{ format: 'date' }, ['2026-02-28'], ['2026-02-30', 'Tuesday']],
    [{ format: 'date-time' }, ['2026-02-28T10:00:00+01:00'], ['2026-02-28']],
    [{ format: 'email' }, ['a@b.example'], ['a at b']],
    [{ format: 'licence-plate' }, ['anything'], []],
    [{ items: { type: 'number' }, minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3], ['a']]],
    [{ prefixItems: [{ type: 'string' }], items: false }, [['a'], []], [['a', 'b'], [1]]],
    [
      { uniqueItems: true },
      [[{ a: 1, b: 2 }, { a: 1 }]],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    [{ required: ['a'] }, [{ a: null }], [{}]],
    [
      { properties: { a: { type: 'string' } }, additionalProperties: false },
      [{ a: 'x' }, {}],
      [{ a: 1 }, { b: 1 }],
    ],
    [{ additionalProperties: { type: 'number' } }, [{ x: 1 }], [{ x: 'y' }]],
    [{ propertyNames: { pattern: '^[a-z]$' } }, [{ a: 1 }], [{ A: 1 }]],
    [{ minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
    [
      { additionalProperties: { type: 'integer' } },
      [JSON.parse('{"__proto__": 1}')],
      [JSON.parse('{"__proto__": "x"}')],
    ],
    [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 6], [4]],
    [{ oneOf: [{ type: 'number' }, { minimum: 5 }] }, [4, 'a'], [6]],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [3]],
    [{ $ref: '#/$defs/d', $defs: { d: { type: 'string' } } }, ['a'], [1]],
    [{ $ref: '#/$defs/d', minLength: 2, $defs: { d: { maxLength: 3 } } }, ['ab'], ['a', 'abcd']],
  ])('%j', (schema, fitting, others) => {
    expect(schemaProblems(schema)).toEqual([]);
    expect(fitting.filter((value) => !fits(schema, value))).toEqual([]);
    expect(others.filter((value) => fits(schema, value))).toEqual([]);
  });

  it('says where and what is wrong', () => {
    const schema = { properties: { list: { items: { type: 'integer' } } }, required: ['name'] };
    expect(problems(schema, { list: [1, 'x'] })).toEqual(['name: is missing', 'list.1: must be integer']);
  });

  it('agrees with zod on values of any kind', () => {
    const schemas: JsonSchema[] = [
      { type: 'object', properties: { a: { type: 'number', minimum: 0 } }, required: ['a'] },
      { type: 'array', items: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] } },
      { anyOf: [{ type: 'boolean' }, { type: 'object', additionalProperties: { type: 'integer' } }] },
    ];
    fc.assert(
      fc.property(fc.constantFrom(...schemas), fc.jsonValue({ maxDepth: 3 }), (schema, value) => {
        fc.pre(!isBeyondZod(value));
        const judged = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value);
        expect(fits(schema, value)).toBe(judged.success);
      }),
      { numRuns: 300 },
    );
  });
});

/** To zod, a whole number from 2^53 on is no integer; to JSON Schema it is. And it looks at no property `__proto__`. */
function isBeyondZod(value: unknown): boolean {
  let found = false;
  JSON.stringify(value, (key, part: unknown) => {
    const isLarge = Number.isInteger(part) && !Number.isSafeInteger(part);
    if (isLarge || key === '__proto__') found = true;
    return part;
  });
  return found;
}

describe('the work of a check is bounded', () => {
  const TOO_LARGE = [': is too large to be checked against the schema'];

  it('a pattern that backtracks for ever elsewhere is decided', () => {
    expect(problems({ pattern: '^(a+)+$' }, `${'a'.repeat(5000)}!`)).toEqual([
      ': must match the pattern ^(a+)+$',
    ]);
  });

  it.each<[string, JsonSchema, unknown]>([
    ['a large pattern over a long text', { pattern: '(.*a.{0,900}b)*c' }, 'ab'.repeat(100_000)],
    [
      'a pattern over many texts',
      { items: { pattern: '^[a-z]{0,500}$' } },
      Array(50_000).fill('a'.repeat(99)),
    ],
    [
      'many alternatives for each of many items',
      { items: { anyOf: Array.from({ length: 500 }, (_, i) => ({ const: i })) } },
      Array(10_000).fill(499),
    ],
    [
      'many choices for each of many items',
      { items: { enum: Array.from({ length: 2000 }, (_, i) => i) } },
      Array(20_000).fill(1999),
    ],
    [
      'many items that differ',
      { uniqueItems: true },
      Array.from({ length: 50_000 }, (_, i) => `${i}`.repeat(99)),
    ],
  ])('%s does not fit', (_, schema, value) => {
    expect(problems(schema, value)).toEqual(TOO_LARGE);
  });

  it('a long choice is put into words once, however often it is held against something', () => {
    const long = { enum: ['x'.repeat(30_000)] };
    const written = vi.spyOn(JSON, 'stringify');
    const found = problems({ items: { anyOf: [...Array(80).fill(long), {}] } }, Array(500).fill(1));
    expect([found, written.mock.calls.length]).toEqual([[], 1]);
    written.mockRestore();
  });

  it('texts of the same length count by their length', () => {
    const schema = { items: { anyOf: [{ const: `${'x'.repeat(30_000)}a` }, {}] } };
    expect(problems(schema, Array(500).fill(`${'x'.repeat(30_000)}b`))).toEqual(TOO_LARGE);
  });

  it('of a list of wrong items the first twenty are named', () => {
    expect(problems({ items: { type: 'string' } }, Array(200_000).fill(1))).toHaveLength(20);
  });
});
