import { z } from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

/** In bytes of JSON. */
const LONGEST = 32_768;

/** What a tenant may give as extraction schema: one that analyses can be checked against. */
export const extractionSchemaInput = z
  .record(z.string(), z.unknown())
  .superRefine((given, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (JSON.stringify(given).length > LONGEST) {
      refuse('must not be over 32 KiB as JSON');
      return;
    }
    try {
      extractionCheck(given);
    } catch (error) {
      // A TypeError is the reader's own stumbling over what is no schema at all.
      const why = error instanceof TypeError ? 'every field needs a schema' : (error as Error).message;
      refuse(`is no JSON Schema of an object that can be checked against: ${why}`);
    }
  })
  .nullable()
  .describe(
    'JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. A `pattern` ' +
      'is told to the model and not enforced.',
  );

/**
 * A tenant's extraction schema as a check. Every field may be null, required or not: a schema that wants a
 * value for what nobody said would make the model invent one. A bare map of fields is a schema, too.
 * Throws for what is no such schema.
 */
export function extractionCheck(given: JsonSchema | null): z.ZodType<Record<string, unknown>> | null {
  if (given === null || Object.keys(given).length === 0) return null;
  const isSchema =
    given.type === 'object' || (typeof given.properties === 'object' && given.type === undefined);
  const root: JsonSchema = isSchema ? given : { properties: given };
  const fields = Object.entries((root.properties ?? {}) as JsonSchema).map(([name, field]) => [
    name,
    { anyOf: [withoutPatterns(field), { type: 'null' }] },
  ]);
  const { patternProperties: _, ...rest } = withoutPatterns(root) as JsonSchema;
  const relaxed = {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(fields),
    required: fields.map(([name]) => name),
    additionalProperties: false,
  };
  return z.fromJSONSchema(relaxed as Parameters<typeof z.fromJSONSchema>[0]) as z.ZodType<
    Record<string, unknown>
  >;
}

/** Keywords whose value is a schema, a list of schemas, or a map of schemas. */
const ONE = ['items', 'additionalProperties', 'contains', 'propertyNames', 'not'];
const MANY = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const NAMED = ['properties', '$defs', 'definitions'];

/**
 * With patterns as hints: a tenant's regular expression, run over a text of the tenant's choice, could
 * hold up everybody (catastrophic backtracking).
 */
function withoutPatterns(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const { pattern, patternProperties: _, ...kept } = schema as JsonSchema;
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(kept)) {
    if (ONE.includes(keyword)) copy[keyword] = withoutPatterns(value);
    else if (MANY.includes(keyword) && Array.isArray(value)) copy[keyword] = value.map(withoutPatterns);
    else if (NAMED.includes(keyword) && typeof value === 'object' && value !== null) {
      copy[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, withoutPatterns(member)]),
      );
    } else copy[keyword] = value;
  }
  if (typeof pattern === 'string') {
    copy.description = [kept.description, `It matches /${pattern}/.`].filter(Boolean).join(' ');
  }
  return copy;
}
