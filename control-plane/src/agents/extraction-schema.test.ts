import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { extractionCheck, extractionSchemaInput } from './extraction-schema.js';

const object = (properties: Record<string, unknown>) => ({ type: 'object', properties });

describe('an extraction schema', () => {
  // @rule 7.6
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

  it('is refused by the place of what is wrong, as it was given', () => {
    const issueOf = (given: object) => {
      const { path, message } = extractionSchemaInput.safeParse(given).error!.issues[0]!;
      return `${path.join('.')} ${message}`;
    };
    expect(issueOf({ type: 'array' })).toBe('type must be a schema: an object of JSON Schema keywords');
    expect(issueOf({ day: { type: 'nope' } })).toMatch(/^day.type must be one of/);
    expect(issueOf(object({ a: { items: [{ pattern: '^(a+)+$' }] } }))).toMatch(
      /^properties.a.items must be/,
    );
    expect(issueOf(object({ a: { additionalItems: {} } }))).toMatch(/^properties.a.additionalItems is not/);
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

  it('is matched against patterns in linear time, at every depth', () => {
    const pattern = '^(a+)+$';
    const check = extractionCheck(
      object({
        code: { type: 'string', description: 'The code.', pattern },
        list: { type: 'array', items: { anyOf: [{ type: 'string', pattern }] } },
        pairs: { type: 'array', prefixItems: [{ type: 'string', pattern }] },
      }),
    );
    const [good, bad] = ['a'.repeat(2000), `${'a'.repeat(2000)}!`];
    expect(check?.safeParse({ code: good, list: [good], pairs: [good] }).success).toBe(true);
    const issues = check?.safeParse({ code: bad, list: [good, bad], pairs: [bad] }).error?.issues ?? [];
    expect(issues.map(({ path }) => path.join('.'))).toEqual(['code', 'list.1', 'pairs.0']);
  });

  it('is described to the model by the schema as it was given, its references written out', () => {
    const check = extractionCheck({
      ...object({ day: { $ref: '#/$defs/day', description: 'When.' } }),
      $defs: { day: { type: 'string', pattern: '^[a-z]+$' } },
    });
    expect(z.toJSONSchema(z.object({ extracted_data: check! }))).toMatchObject({
      properties: {
        extracted_data: {
          type: 'object',
          properties: {
            day: { anyOf: [{ type: 'string', pattern: '^[a-z]+$', description: 'When.' }, { type: 'null' }] },
          },
          required: ['day'],
          additionalProperties: false,
        },
      },
      required: ['extracted_data'],
    });
  });

  it('of a schema that was saved under other rules cannot be checked, and the reason is named', () => {
    expect(() => extractionCheck(object({ a: { items: [{}] } }))).toThrow(
      /^properties.a.items must be one schema/,
    );
  });
});
