import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../error-codes.js';
import type { ComponentSchemas, JsonSchema } from './component-schemas.js';
import { headerRefs, RATE_HEADERS } from './headers.js';

const errorResponse = z
  .looseObject({
    detail: z.string().describe('What went wrong, for people.'),
    code: z.string().describe('What went wrong, for programs: stable, snake_case.'),
    request_id: z.string().describe('Quote it when you ask for help.'),
  })
  .meta({ id: 'ErrorResponse' });

export const validationErrorResponse = z
  .object({
    detail: z.array(
      z.object({
        loc: z
          .array(z.union([z.string(), z.number().int()]))
          .describe('Place: path, query, body or header, then the field.')
          .meta({ examples: [['body', 'agent_id']] }),
        msg: z.string(),
        type: z.string().meta({ examples: ['value_error'] }),
      }),
    ),
    code: z.literal('validation_error'),
    request_id: z.string(),
  })
  .meta({ id: 'HTTPValidationError' });

const UNPROCESSABLE = 'UnprocessableResponse';
const SCHEMAS = '#/components/schemas/';

/** Describes what a 422 may hold: a list of mistakes, or the one refusal that its code names. */
function unprocessable(schemas: ComponentSchemas): JsonSchema {
  const refusal = schemas.of(errorResponse, 'output');
  const mistakes = schemas.of(validationErrorResponse, 'output');
  const codes = Object.entries(ERROR_CODES).filter(([, { status }]) => status === 422);
  const mapping = Object.fromEntries(
    codes.map(([code]) => [code, (code === 'validation_error' ? mistakes : refusal).$ref]),
  );
  schemas.add(UNPROCESSABLE, {
    oneOf: [refusal, mistakes],
    discriminator: { propertyName: 'code', mapping },
  });
  return { $ref: SCHEMAS + UNPROCESSABLE };
}

function bodyOf(schemas: ComponentSchemas, codes: readonly ErrorCode[]): JsonSchema {
  if (!codes.includes('validation_error')) return schemas.of(errorResponse, 'output');
  return codes.length === 1 ? schemas.of(validationErrorResponse, 'output') : unprocessable(schemas);
}

/** Error answers of one status; which codes it may carry is said in words and by `x-error-codes`. */
export function errorAnswer(
  schemas: ComponentSchemas,
  status: number,
  codes: readonly ErrorCode[],
  /** Whether a browser is shown a page instead. */
  hasPage: boolean,
): JsonSchema {
  const retry = codes.some(
    (code) =>
      status === 429 || status === 503 || code === 'live_limit_reached' || code === 'idempotency_in_flight',
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].description}`).join('\n\n'),
    headers: headerRefs(['X-Request-Id', ...Object.keys(RATE_HEADERS), ...(retry ? ['Retry-After'] : [])]),
    content: {
      'application/json': { schema: bodyOf(schemas, codes) },
      ...(hasPage ? { 'text/html': { schema: { type: 'string' } } } : {}),
    },
    'x-error-codes': codes,
  };
}
