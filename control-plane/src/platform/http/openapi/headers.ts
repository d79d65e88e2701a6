import type { JsonSchema } from './json-schema.js';

export const RATE_HEADERS = {
  'X-RateLimit-Limit': 'Requests allowed in a window of one minute.',
  'X-RateLimit-Remaining': 'Requests left in this window.',
  'X-RateLimit-Reset': 'When the window ends, in Unix seconds.',
} as const;

export const DEPRECATION_HEADERS = {
  Deprecation: 'When it was deprecated (RFC 9745); on refusals, too.',
  Link: 'The endpoint to use instead.',
} as const;

/** The headers that answers have in common, as components. */
export const COMMON_HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': { description: 'The id of this request.', schema: { type: 'string' } },
  ...Object.fromEntries(
    Object.entries(RATE_HEADERS).map(([name, description]) => [
      name,
      { description, schema: { type: 'integer' } },
    ]),
  ),
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
  'X-Idempotent-Replay': {
    description: '`true` on an answer that is replayed by its Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

export function headerRefs(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
