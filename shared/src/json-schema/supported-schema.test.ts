import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHECKED_FORMATS } from './formats.js';
import type { JsonSchema } from './json-schema.js';
import { KEYWORDS } from './keywords.js';
import { schemaProblems } from './supported-schema.js';

const object = (properties: object) => ({ type: 'object', properties });
const problemsOf = (schema: JsonSchema) =>
  schemaProblems(schema).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a schema is refused by the path of what is not supported', () => {
  const BACKTRACKS = { type: 'string', pattern: '^(a+)+$', contentMediaType: 'text/plain' };
  it.each<[string, JsonSchema, string]>([
    ['items in the form of an array', object({ a: { type: 'array', items: [{}] } }), 'properties.a.items'],
    ['additionalItems', object({ a: { additionalItems: {} } }), 'properties.a.additionalItems'],
    ['a condition', object({ a: { if: {} } }), 'properties.a.if'],
    ['a keyword that nobody knows', object({ a: { maximun: 3 } }), 'properties.a.maximun'],
    ['a keyword of another dialect', object({ a: { nullable: true } }), 'properties.a.nullable'],
    ['within items', { items: { items: BACKTRACKS } }, 'items.items.contentMediaType'],
    ['within prefixItems', { prefixItems: [{}, BACKTRACKS] }, 'prefixItems.1.contentMediaType'],
    ['within anyOf', { anyOf: [{ oneOf: [BACKTRACKS] }] }, 'anyOf.0.oneOf.0.contentMediaType'],
    ['within allOf', { allOf: [BACKTRACKS] }, 'allOf.0.contentMediaType'],
    [
      'within additionalProperties',
      { additionalProperties: BACKTRACKS },
      'additionalProperties.contentMediaType',
    ],
    ['within propertyNames', { propertyNames: BACKTRACKS }, 'propertyNames.contentMediaType'],
    ['within a definition', { $defs: { a: BACKTRACKS } }, '$defs.a.contentMediaType'],
    ['a type that there is not', object({ a: { type: 'nope' } }), 'properties.a.type'],
    ['a field that is no schema', object({ a: 'string' }), 'properties.a'],
    ['properties that are no map', { properties: [] }, 'properties'],
    ['a bound that is no number', { minimum: '3' }, 'minimum'],
    ['an empty choice', { enum: [] }, 'enum'],
    ['a pattern with lookahead', { pattern: '(?=a)b' }, 'pattern'],
    ['a pattern with a back-reference', { pattern: '(a)\\1' }, 'pattern'],
    ['a pattern that is none', { pattern: '(' }, 'pattern'],
    ['a pattern that becomes a huge program', { pattern: '((a{100}){100}){100}' }, 'pattern'],
    ['a long pattern', { pattern: 'a'.repeat(501) }, 'pattern'],
    ['a reference to elsewhere', object({ a: { $ref: 'http://10.0.0.1/schema' } }), 'properties.a.$ref'],
    ['a reference to nothing', object({ a: { $ref: '#/$defs/none' } }), 'properties.a.$ref'],
    ['a reference to an inherited name', { $ref: '#/$defs/constructor', $defs: {} }, '$ref'],
    ['definitions below the top', object({ a: { $defs: {} } }), 'properties.a.$defs'],
  ])('%s', (_, schema, path) => {
    const problems = schemaProblems(schema);
    expect(problems.map((problem) => problem.path.join('.'))).toEqual([path]);
  });

  it('says what to write instead', () => {
    expect(problemsOf({ items: [{}] })).toEqual([
      'items: must be one schema for all items; a list of schemas is `prefixItems`',
    ]);
    expect(problemsOf({ nullable: true })).toEqual([
      'nullable: is not a supported keyword: add "null" to `type`',
    ]);
  });

  it('names every problem, up to twenty', () => {
    expect(problemsOf(object({ a: { if: {}, else: {} }, b: 3 }))).toHaveLength(3);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x${i}`, 1]));
    expect(problemsOf(many)).toHaveLength(20);
  });

  it('is not misled by fields that are called like keywords', () => {
    const names = JSON.parse('{"if":{},"items":{},"pattern":{},"__proto__":{},"constructor":{}}') as object;
    expect(problemsOf(object(names))).toEqual([]);
    expect(
      problemsOf({ default: { if: 1 }, examples: [{ if: 1 }], const: { if: 1 }, enum: [{ if: 1 }] }),
    ).toEqual([]);
  });
});

describe('the work that a schema makes is bounded', () => {
  const doubling = (levels: number) => ({
    $ref: '#/$defs/x0',
    $defs: Object.fromEntries([
      ...Array.from({ length: levels }, (_, i) => {
        const next = { $ref: `#/$defs/x${i + 1}` };
        return [`x${i}`, { anyOf: [next, next] }] as const;
      }),
      [`x${levels}`, { type: 'number' }] as const,
    ]),
  });

  it('references that multiply are written out only so far', () => {
    expect(problemsOf(doubling(3))).toEqual([]);
    expect(problemsOf(doubling(15))).toEqual([expect.stringContaining('more than 2000 schemas')]);
  });

  it('a reference that leads back to itself is refused', () => {
    const tree = { $ref: '#/$defs/node', $defs: { node: object({ next: { $ref: '#/$defs/node' } }) } };
    expect(problemsOf(tree)).toEqual([expect.stringContaining('leads back to itself')]);
  });

  it('patterns are counted together', () => {
    const patterns = (pattern: string, count: number) =>
      object(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { pattern }])));
    expect(problemsOf(patterns('^[a-z]+$', 20))).toEqual([]);
    expect(problemsOf(patterns('^[a-z]+$', 21))).toEqual([
      'properties.f20.pattern: is one of more than 20 patterns',
    ]);
    expect(problemsOf(patterns('(a|b|c|d){900}', 20))).toEqual([
      expect.stringContaining('too large together'),
    ]);
  });

  it('depth and size are limited', () => {
    let deep: JsonSchema = {};
    for (let i = 0; i < 40; i++) deep = { items: deep };
    expect(problemsOf(deep)).toEqual([expect.stringContaining('nested deeper')]);
    expect(problemsOf({ description: 'x'.repeat(40_000) })).toEqual([': must not be over 32 KiB as JSON']);
  });
});

it('the page about JSON Schema names every keyword and every format that there is', () => {
  const page = readFileSync(new URL('../../../docs/json-schema.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('|---'), page.indexOf('- `items`'));
  const named = [...table.matchAll(/`([^`]+)`/g)].map(([, keyword]) => keyword);
  expect(named.toSorted()).toEqual([...KEYWORDS.keys()].toSorted());
  for (const format of CHECKED_FORMATS) expect(page).toContain(`\`${format}\``);
});

describe('what common generators write is accepted', () => {
  it.each<[string, JsonSchema]>([
    [
      'pydantic',
      {
        $defs: { Day: { enum: ['mon', 'tue'], title: 'Day', type: 'string' } },
        title: 'Booking',
        type: 'object',
        properties: {
          day: { $ref: '#/$defs/Day', description: 'When.' },
          other: { anyOf: [{ $ref: '#/$defs/Day' }, { type: 'null' }], default: null },
          tags: { additionalProperties: { type: 'string' }, title: 'Tags', type: 'object' },
        },
        required: ['day'],
      },
    ],
    [
      'zod',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          n: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
          map: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
          pair: { type: 'array', prefixItems: [{ type: 'string' }, { const: 1 }] },
          id: {
            type: 'string',
            format: 'uuid',
            pattern:
              '^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$',
          },
        },
        required: ['n'],
        additionalProperties: false,
      },
    ],
  ])('%s', (_, schema) => {
    expect(problemsOf(schema)).toEqual([]);
  });
});
