import { CHECKED_FORMATS } from '@voice/shared/json-schema/formats';
import type { JsonProblem, JsonSchema } from '@voice/shared/json-schema/json-schema';
import { KEYWORDS } from '@voice/shared/json-schema/keywords';
import { z } from 'zod';

/** What of JSON Schema tenants may use, in words for the API's description. */
export const SUPPORTED_JSON_SCHEMA =
  `Keywords: ${[...KEYWORDS.keys()].map((keyword) => `\`${keyword}\``).join(', ')}; any other is refused, at every ` +
  'depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without ' +
  `lookaround and back-references. Formats: ${CHECKED_FORMATS.join(', ')}; others are hints. At most 32 KiB as JSON.`;

/** Makes a schema for a schema in a request, which is refused by the path of everything in it that cannot be used. */
export function schemaInput(problemsOf: (schema: JsonSchema) => readonly JsonProblem[]) {
  return z.record(z.string(), z.unknown()).superRefine((schema, context) => {
    for (const { path, message } of problemsOf(schema)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  });
}
