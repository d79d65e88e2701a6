import { sessionCookieName } from '../authentication.js';
import { ERROR_CODES, type ErrorCode } from '../error-codes.js';
import { leastRoleOf, rolesFrom } from '../roles.js';
import type { ResponseDeclaration, Route } from '../route.js';
import { errorCodesOf } from '../route-errors.js';
import { actsForTenant, isIdempotent, modeOf, takesSessions } from '../route-traits.js';
import { CLIENT_METHODS } from './client-methods.js';
import { ComponentResponses } from './component-responses.js';
import { ComponentSchemas, type JsonSchema } from './component-schemas.js';
import { errorAnswer } from './error-responses.js';
import { COMMON_HEADERS, DEPRECATION_HEADERS, headerRefs, RATE_HEADERS } from './headers.js';
import { introduction } from './introduction.js';
import { pascal } from './json-schema.js';
import { COMMON_PARAMETERS, parametersOf } from './parameters.js';
import { REQUEST_EXAMPLES } from './request-examples.js';
import { describedTags } from './tags.js';

/** The version of the description (specification 9). */
const API_VERSION = '1.0.0';

/** What operations refer to. */
interface Components {
  readonly schemas: ComponentSchemas;
  readonly answers: ComponentResponses;
}

/** Describes a body that is not JSON: text as it is, anything else as bytes. */
function contentOf(mediaType: string): JsonSchema {
  return mediaType.startsWith('text/')
    ? { schema: { type: 'string' } }
    : { schema: { type: 'string', format: 'binary' } };
}

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
    ? {
        'application/json': {
          schema: schemas.of(declared.schema, 'output', `${pascal(route.operationId)}Response`),
        },
        ...Object.fromEntries((declared.alternatives ?? []).map((type) => [type, contentOf(type)])),
      }
    : declared.contentType
      ? { [declared.contentType]: contentOf(declared.contentType) }
      : undefined;
  return {
    description: declared.description,
    headers: { ...headerRefs(shared), ...own },
    ...(content ? { content } : {}),
  };
}

/** Describes what the route takes when it is not an API key alone. */
function securityOf(route: Route): JsonSchema {
  if (route.auth === 'api_key') return {};
  if (takesSessions(route)) {
    const link = route.linkPrincipal ? [{ liveLink: [] }] : [];
    return { security: [{ apiKey: [] }, { dashboardSession: [] }, { identitySession: [] }, ...link] };
  }
  return { security: [] };
}

function responses({ schemas, answers }: Components, route: Route): JsonSchema {
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
    ...Object.fromEntries(
      [...byStatus].map(([status, codes]) => [
        status,
        answers.of(codes, errorAnswer(schemas, status, codes, route.errorPage !== undefined)),
      ]),
    ),
  };
}

/** Says where the client libraries have it. */
function clientMethodOf({ operationId }: Route): JsonSchema {
  const method = CLIENT_METHODS[operationId];
  return method === undefined ? {} : { 'x-client-method': method };
}

function exampleOf({ operationId }: Route): JsonSchema {
  const example = REQUEST_EXAMPLES[operationId];
  return example === undefined ? {} : { example };
}

function operation(components: Components, route: Route): JsonSchema {
  const { schemas } = components;
  const all = parametersOf(schemas, route);
  const mediaType = route.receive
    ? 'multipart/form-data'
    : route.bodyType === 'form'
      ? 'application/x-www-form-urlencoded'
      : 'application/json';
  const mode = modeOf(route);
  return {
    operationId: route.operationId,
    ...clientMethodOf(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.deprecated ? { deprecated: true } : {}),
    ...securityOf(route),
    'x-rate-class': route.rateClass ?? 'default',
    ...(mode === undefined ? {} : { 'x-mode': mode }),
    ...(actsForTenant(route) ? { 'x-roles': rolesFrom(leastRoleOf(route)) } : {}),
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(route.body
      ? {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: {
              [mediaType]: {
                schema: {
                  ...schemas.of(route.body, 'input', `${pascal(route.operationId)}Request`),
                  ...(route.requiredFields ? { required: route.requiredFields } : {}),
                },
                ...exampleOf(route),
              },
            },
          },
        }
      : {}),
    responses: responses(components, route),
  };
}

/** Builds the OpenAPI 3.1 description of the public routes, made from the schemas that validate. */
export function openApiDocument(
  routes: readonly Route[],
  {
    serverUrl,
    sections,
    webhooks,
  }: {
    serverUrl: string;
    sections: readonly string[];
    webhooks: (schemas: ComponentSchemas) => Readonly<Record<string, JsonSchema>>;
  },
): JsonSchema {
  const schemas = new ComponentSchemas();
  const answers = new ComponentResponses();
  const listed = routes.filter((route) => route.listed !== false);
  const paths: Record<string, JsonSchema> = {};
  for (const route of listed) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation({ schemas, answers }, route) };
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
    tags: describedTags([...listed.map((route) => route.tag), 'Events']),
    paths,
    webhooks: webhooks(schemas),
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
          name: sessionCookieName(serverUrl),
          description: 'A session of the dashboard; requests that change something must come from its pages.',
        },
        liveLink: {
          type: 'apiKey',
          in: 'query',
          name: 't',
          description: 'A signed link to one live call, from `POST /calls/{call_id}/live-link`.',
        },
        identitySession: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: "The identity provider's session token, where a provider is configured.",
        },
      },
      parameters: COMMON_PARAMETERS,
      headers: COMMON_HEADERS,
      responses: answers.all(),
      schemas: schemas.all(),
    },
  };
}
