import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { extractionCheck, extractionSchemaInput } from './extraction-schema.js';

const object = (properties: Record<string, unknown>) => ({ type: 'object', properties });

describe('an extraction schema', () => {
  it.each<[string, object]>([
    ['an unknown type', object({ a: { type: 'nope' } })],
    ['a field that is no schema', object({ a: 'string' })],
    ['a reference to elsewhere', object({ a: { $ref: 'http://10.0.0.1/schema' } })],
    ['a reference to nothing', object({ a: { $ref: '#/$defs/none' } })],
    ['a condition', object({ a: { if: {}, else: {} } })],
    ['a bare map with a field that is no schema', { type: 'array' }],
    ['more than 32 KiB', object({ a: { type: 'string', description: 'x'.repeat(40_000) } })],
  ])('is refused with %s', (_, given) => {
    const parsed = extractionSchemaInput.safeParse(given);
    expect(parsed.success).toBe(false);
  });

  it('says what is wrong in words of the schema', () => {
    const told = (given: object) => extractionSchemaInput.safeParse(given).error?.issues[0]?.message;
    expect(told({ type: 'array' })).toMatch(/: every field needs a schema$/);
    expect(told(object({ a: { type: 'nope' } }))).toContain('nope');
  });

  it.each<[string, object | null]>([
    ['none', null],
    ['an empty one', {}],
    ['a bare map of fields', { day: { type: 'integer' }, type: { type: 'string' } }],
    ['nested objects, lists and definitions', object({ a: { type: 'array', items: object({}) } })],
  ])('may be %s', (_, given) => {
    expect(extractionSchemaInput.safeParse(given).success).toBe(true);
  });
});

describe('what was extracted', () => {
  it('has every field, null for what was not said, and no other', () => {
    const check = extractionCheck({ ...object({ day: { type: 'integer' } }), required: ['day'] });
    expect(check?.safeParse({ day: null }).success).toBe(true);
    expect(check?.safeParse({ day: 'Tuesday' }).success).toBe(false);
    expect(check?.safeParse({ day: 3, night: 1 }).success).toBe(false);
  });

  it("is not run through the tenant's regular expressions: they are told to the model", () => {
    const catastrophic = '^(a+)+$';
    const check = extractionCheck({
      type: 'object',
      properties: {
        pattern: { type: 'string' },
        code: { type: 'string', description: 'The code.', pattern: catastrophic },
        list: { type: 'array', items: { anyOf: [{ type: 'string', pattern: catastrophic }] } },
        map: { type: 'object', patternProperties: { [catastrophic]: {} } },
      },
    });
    const text = `${'a'.repeat(40)}!`;
    const began = performance.now();
    const parsed = check?.safeParse({ pattern: 'x', code: text, list: [text], map: { [text]: 1 } });
    expect(performance.now() - began).toBeLessThan(1000);
    expect(parsed?.success).toBe(true);
    expect(JSON.stringify(z.toJSONSchema(check!))).toContain('The code. It matches /^(a+)+$/.');
  });
});
