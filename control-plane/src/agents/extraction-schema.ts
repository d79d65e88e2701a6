import { isJsonObject, type JsonProblem, type JsonSchema } from '@voice/shared/json-schema/json-schema';
import { expanded } from '@voice/shared/json-schema/references';
import { schemaProblems } from '@voice/shared/json-schema/supported-schema';
import { valueCheck } from '@voice/shared/json-schema/value-check';
import { z } from 'zod';
import { SUPPORTED_JSON_SCHEMA, schemaInput } from '../platform/json-schema/schema-input.js';

const DESCRIPTION =
  'JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model ' +
  `answers is held against it; every field may be null. ${SUPPORTED_JSON_SCHEMA}`;

/** The form of an extraction schema, as it is stored and shown. */
export const extractionSchemaForm = z.record(z.string(), z.unknown()).nullable().describe(DESCRIPTION);

/** What a tenant may give as extraction schema: one that analyses can be checked against. */
export const extractionSchemaInput = schemaInput(extractionProblems).nullable().describe(DESCRIPTION);

/** An extraction schema that cannot be used; its message says what is wrong and where. */
export class UnusableExtractionSchema extends Error {}

/**
 * Returns a tenant's extraction schema as the type of what is extracted. Every field may be null, required or not: a
 * schema that wants a value for what nobody said would make the model invent one. A bare map of fields is a schema,
 * too. Null where nothing is to be extracted. Throws `UnusableExtractionSchema`.
 */
export function extractionCheck(given: JsonSchema | null): z.ZodType<Record<string, unknown>> | null {
  if (given === null || Object.keys(given).length === 0) return null;
  const [problem] = extractionProblems(given);
  if (problem) throw new UnusableExtractionSchema(`${problem.path.join('.')} ${problem.message}`.trim());
  const { properties = {}, ...root } = expanded(rootOf(given)) as { properties?: Record<string, JsonSchema> };
  const fields = Object.entries(properties).map(([name, field]): [string, JsonSchema] => [
    name,
    { anyOf: [field, { type: 'null' }] },
  ]);
  const schema: JsonSchema = {
    ...root,
    type: 'object',
    properties: Object.fromEntries(fields),
    required: fields.map(([name]) => name),
    additionalProperties: false,
  };
  const check = valueCheck(schema);
  return z
    .unknown()
    .superRefine((extracted, context) => {
      for (const { path, message } of check(extracted)) {
        context.addIssue({ code: 'custom', path: [...path], message });
      }
    })
    .meta(schema) as z.ZodType<Record<string, unknown>>;
}

/** Lists what keeps an extraction schema from being used, by the place in what was given. */
export function extractionProblems(given: JsonSchema): readonly JsonProblem[] {
  const problems = schemaProblems(rootOf(given));
  if (hasRoot(given)) return problems;
  return problems.map(({ path, message }) => ({ path: path.slice(1), message }));
}

/** Returns whether it is a schema of an object, and not a bare map of fields. */
function hasRoot(given: JsonSchema): boolean {
  return given.type === 'object' || (given.type === undefined && isJsonObject(given.properties));
}

function rootOf(given: JsonSchema): JsonSchema {
  return hasRoot(given) ? given : { type: 'object', properties: given };
}
