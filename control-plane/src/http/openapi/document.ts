import { z } from 'zod';
import { SANDBOX_HEADER, SESSION_COOKIE } from '../authentication.js';
import { ERROR_CODES, type ErrorCode } from '../error-codes.js';
import { IDEMPOTENCY_KEY_HEADER } from '../idempotency.js';
import { isIdempotent, type ResponseDeclaration, type Route, takesSessions } from '../route.js';
import { errorCodesOf } from '../route-errors.js';
import { ComponentSchemas, type JsonSchema } from './component-schemas.js';
import { introduction } from './introduction.js';
import { REQUEST_EXAMPLES } from './request-examples.js';

/** The version of the description (specification 9). */
export const API_VERSION = '1.0.0';

const errorResponse = z
  .looseObject({
    detail: z.string().describe('What went wrong, for people.'),
    code: z.string().describe('What went wrong, for programs: stable, snake_case.'),
    request_id: z.string().describe('Quote it when you ask for help.'),
  })
  .meta({ id: 'ErrorResponse' });

const validationErrorResponse = z
  .object({
    detail: z.array(
      z.object({
        loc: z
          .array(z.union([z.string(), z.number().int()]))
          .describe('Place: path, query, body or header, then the field.'),
        msg: z.string(),
        type: z.string(),
      }),
    ),
    code: z.literal('validation_error'),
    request_id: z.string(),
  })
  .meta({ id: 'HTTPValidationError' });

const RATE_HEADERS = {
  'X-RateLimit-Limit': 'Requests allowed in a window of one minute.',
  'X-RateLimit-Remaining': 'Requests left in this window.',
  'X-RateLimit-Reset': 'When the window ends, in Unix seconds.',
} as const;

const DEPRECATION_HEADERS = {
  Deprecation: 'When it was deprecated (RFC 9745); on refusals, too.',
  Link: 'The endpoint to use instead.',
};

const COMMON_HEADERS: Record<string, JsonSchema> = {
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

function headerRefs(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** What names mean wherever they are used, unless a route says more. */
const PLAIN_NAMES: Readonly<Record<string, string>> = {
  limit: 'Entries of a page.',
  offset: 'Entries to skip.',
  status: 'Only those in this status.',
  direction: 'Only those of this direction.',
  sort: 'What the entries are sorted by.',
  order: 'Ascending or descending.',
  slug: 'As the list names it.',
  country: 'ISO 3166-1 alpha-2.',
  area_code: 'What the national number begins with.',
  campaign_name: 'What the campaign is called.',
  max_concurrent: 'Calls at the same time, at most.',
  calls_per_minute: 'Calls placed a minute, at most.',
  code: 'As the vendor gave it.',
  state: 'As the vendor gave it back.',
};

function plainly(name: string): string | undefined {
  const [, thing] = /^(\w+)_id$/.exec(name) ?? [];
  return thing ? `Id of the ${thing.replaceAll('_', ' ')}.` : PLAIN_NAMES[name];
}

/** The members of an object schema as parameters. */
function parameters(
  schemas: ComponentSchemas,
  place: 'path' | 'query',
  schema: z.ZodType | undefined,
): JsonSchema[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, member]) => {
    // The output side: a query value is text on the wire, but the value that the text stands for is meant.
    const { description = plainly(name), ...json } = schemas.of(member, 'output');
    return {
      name,
      in: place,
      required: place === 'path' || !member.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: json,
    };
  });
}

const idempotencyParameter: JsonSchema = {
  name: IDEMPOTENCY_KEY_HEADER,
  in: 'header',
  required: false,
  description: 'For 24 hours the same key gets the same answer, and the operation runs once.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const sandboxParameter: JsonSchema = {
  name: SANDBOX_HEADER,
  in: 'header',
  required: false,
  description:
    'The mode of a request with a session, which must name it. With an API key its prefix decides, and this ' +
    'header says nothing.',
  schema: { type: 'string', enum: ['true', 'false'] },
};

function success(schemas: ComponentSchemas, route: Route, declared: ResponseDeclaration): JsonSchema {
  const own = Object.fromEntries(
    Object.entries({ ...(route.deprecated ? DEPRECATION_HEADERS : {}), ...declared.headers }).map(
      ([name, description]) => [name, { description, schema: { type: 'string' } }],
    ),
  );
  const shared = [
    'X-Request-Id',
    ...Object.keys(RATE_HEADERS),
    ...(isIdempotent(route) ? ['X-Idempotent-Replay'] : []),
  ];
  const content = declared.schema
    ? { 'application/json': { schema: schemas.of(declared.schema, 'output') } }
    : declared.contentType
      ? { [declared.contentType]: {} }
      : undefined;
  return {
    description: declared.description,
    headers: { ...headerRefs(shared), ...own },
    ...(content ? { content } : {}),
  };
}

/** Error answers of one status; which codes it may carry is told in words and as an enum-like list. */
function failure(schemas: ComponentSchemas, status: number, codes: readonly ErrorCode[]): JsonSchema {
  const forms: JsonSchema[] = [];
  if (codes.some((code) => code !== 'validation_error')) forms.push(schemas.of(errorResponse, 'output'));
  if (codes.includes('validation_error')) forms.push(schemas.of(validationErrorResponse, 'output'));
  const retry = codes.some(
    (code) => code === 'rate_limited' || code === 'idempotency_in_flight' || status === 503,
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].description}`).join('\n\n'),
    headers: headerRefs(['X-Request-Id', ...Object.keys(RATE_HEADERS), ...(retry ? ['Retry-After'] : [])]),
    content: { 'application/json': { schema: forms.length === 1 ? forms[0] : { oneOf: forms } } },
    'x-error-codes': codes,
  };
}

/** What the route takes when it is not an API key alone. */
function securityOf(route: Route): JsonSchema {
  if (route.auth === 'api_key') return {};
  if (takesSessions(route))
    return { security: [{ apiKey: [] }, { dashboardSession: [] }, { identitySession: [] }] };
  return { security: [] };
}

function responses(schemas: ComponentSchemas, route: Route): JsonSchema {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(route)) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return {
    ...Object.fromEntries(
      Object.entries(route.responses).map(([status, declared]) => [
        status,
        success(schemas, route, declared),
      ]),
    ),
    ...Object.fromEntries([...byStatus].map(([status, codes]) => [status, failure(schemas, status, codes)])),
  };
}

function exampleOf({ operationId }: Route): JsonSchema {
  const example = REQUEST_EXAMPLES[operationId];
  return example === undefined ? {} : { example };
}

function operation(schemas: ComponentSchemas, route: Route): JsonSchema {
  const all = [
    ...parameters(schemas, 'path', route.params),
    ...parameters(schemas, 'query', route.query),
    ...Object.entries(route.requiredHeaders ?? {}).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    ...(isIdempotent(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(route.auth === 'tenant_in_mode' ? [{ $ref: '#/components/parameters/Sandbox' }] : []),
  ];
  const mediaType = route.receive
    ? 'multipart/form-data'
    : route.bodyType === 'form'
      ? 'application/x-www-form-urlencoded'
      : 'application/json';
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.deprecated ? { deprecated: true } : {}),
    ...securityOf(route),
    'x-rate-class': route.rateClass ?? 'default',
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(route.body
      ? {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: { [mediaType]: { schema: schemas.of(route.body, 'input'), ...exampleOf(route) } },
          },
        }
      : {}),
    responses: responses(schemas, route),
  };
}

/** The OpenAPI 3.1 description of the public routes, made from the schemas that validate. */
export function openApiDocument(
  routes: readonly Route[],
  {
    serverUrl,
    sections,
    webhooks,
  }: { serverUrl: string; sections: readonly string[]; webhooks: Readonly<Record<string, JsonSchema>> },
): JsonSchema {
  const schemas = new ComponentSchemas();
  const listed = routes.filter((route) => route.listed !== false);
  const paths: Record<string, JsonSchema> = {};
  for (const route of listed) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(schemas, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Voice Agent Calling Service',
      version: API_VERSION,
      description: introduction(sections),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(listed.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: '`sk_live_…` (production) or `sk_test_…` (sandbox).',
        },
        dashboardSession: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'A session of the dashboard; requests that change something must come from its pages.',
        },
        identitySession: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: "The identity provider's session token, where a provider is configured.",
        },
      },
      parameters: { IdempotencyKey: idempotencyParameter, Sandbox: sandboxParameter },
      headers: COMMON_HEADERS,
      schemas: schemas.all(),
    },
  };
}
