import { Validator } from '@seriousme/openapi-schema-validator';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startTestControlPlane, type TestControlPlane } from '../../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../../testing/store.js';
import { ERROR_CODES } from '../error-codes.js';
import type { Route } from '../route.js';
import { isIdempotent, isMutating } from '../route-traits.js';
import { optionsOf } from './json-schema.js';
import { needsNoExample } from './property-words.js';
import { REQUEST_EXAMPLES } from './request-examples.js';
import { RESPONSE_EXAMPLES } from './response-examples.js';

interface Operation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly {
    name?: string;
    in?: string;
    description?: string;
    required?: boolean;
    $ref?: string;
    schema?: unknown;
  }[];
  readonly requestBody?: {
    required: boolean;
    content: Record<string, { schema: { $ref?: string; required?: string[] }; example?: unknown }>;
  };
  readonly responses: Record<string, Answer>;
}
interface Answer {
  readonly $ref?: string;
  readonly headers?: Record<string, unknown>;
  readonly content?: Record<string, unknown>;
}
interface Document {
  readonly openapi: string;
  readonly info: { version: string; description: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    responses: Record<string, Answer>;
    schemas: Record<
      string,
      { properties: Record<string, unknown>; required?: string[]; additionalProperties?: unknown }
    >;
  };
}

let store: TestStore;
let plane: TestControlPlane;
let document: Document;

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri);
  document = (await plane.request('GET', '/v1/openapi.json')).json as Document;
});
afterAll(async () => {
  await plane?.close();
  await store?.close();
});

const publicRoutes = (): Route[] =>
  plane.modules.flatMap((module) => module.routes ?? []).filter((route) => route.listed !== false);
const operations = () => Object.values(document.paths).flatMap((path) => Object.values(path));
/** The answers of an operation, those that many have in common looked up. */
const answersOf = ({ responses }: Operation) =>
  Object.entries(responses).map(([status, answer]) => {
    const common = answer.$ref?.split('/').at(-1);
    return [status, common === undefined ? answer : document.components.responses[common]!] as const;
  });

/** Every `$ref` in the document. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  );
}

describe('the description', () => {
  // @rule 9.2
  it('is valid OpenAPI 3.1, of version 1.0.0', async () => {
    const result = await new Validator().validate(
      structuredClone(document) as unknown as Record<string, unknown>,
    );
    expect(result).toMatchObject({ valid: true });
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.0.0']);
  });

  // @rule 9.4
  it('holds every public route and nothing internal', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(described.sort()).toEqual(
      publicRoutes()
        .map((route) => `${route.method} ${route.path}`)
        .sort(),
    );
    expect(JSON.stringify(document)).not.toContain('/internal/');
  });

  it('says of every JSON body whether fields that it does not name are refused', async () => {
    const { key } = await plane.newKey({ sandbox: false });
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const named = operation.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1);
        if (named === undefined || operation.security?.length === 0) continue;
        const answer = await plane.request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, newId()), {
          key,
          body: { no_such_field: true },
        });
        const refused = answer.text.includes('no_such_field');
        const { additionalProperties = true } = document.components.schemas[named]!;
        expect([operation.operationId, refused]).toEqual([
          operation.operationId,
          additionalProperties === false,
        ]);
      }
    }
  });

  // @rule 9.2
  it('shows for every JSON body an example that is taken as it stands', () => {
    const shown = operations().flatMap(({ operationId, requestBody }) => {
      const json = requestBody?.content['application/json'];
      return json ? [[operationId, json.example] as const] : [];
    });
    const bodies = new Map(publicRoutes().map(({ operationId, body }) => [operationId, body]));
    const refused = shown.filter(
      ([operationId, example]) =>
        example === undefined || bodies.get(operationId)?.safeParse(example).success !== true,
    );
    expect(refused).toEqual([]);
    expect(Object.keys(REQUEST_EXAMPLES).sort()).toEqual(shown.map(([operationId]) => operationId).sort());
  });

  it('lists the error codes by their status', () => {
    const statuses = [...document.info.description.matchAll(/^\| (\d{3}) \| `/gm)].map(([, status]) =>
      Number(status),
    );
    expect(statuses.length).toBe(Object.keys(ERROR_CODES).length);
    expect(statuses).toEqual([...statuses].sort((a, b) => a - b));
  });

  it('gives bounds of numbers only where the API has some', () => {
    expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it('refers only to what it holds', () => {
    const found = references(document);
    expect(found.length).toBeGreaterThan(10);
    for (const reference of new Set(found)) {
      const target = reference
        .replace('#/', '')
        .split('/')
        .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
      expect(target, reference).toBeDefined();
    }
  });

  it('gives every operation a name of its own', () => {
    const names = operations().map((operation) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('says in words what every parameter is', () => {
    for (const { operationId, parameters } of operations()) {
      for (const { name, description } of (parameters ?? []).filter(({ $ref }) => $ref === undefined)) {
        expect(description, `${operationId}: ${name}`).toMatch(/\w/);
      }
    }
  });

  it("names the three headers that the identity provider's intake needs", () => {
    const intake = document.paths['/api/v1/webhooks/clerk']?.post;
    const needed = (intake?.parameters ?? []).filter((header) => header.in === 'header' && header.required);
    expect(needed.map(({ name }) => name)).toEqual(['svix-id', 'svix-timestamp', 'svix-signature']);
  });

  it('declares every parameter of the path', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      for (const operation of Object.values(methods)) {
        const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
        expect(declared.map((parameter) => parameter.name)).toEqual(named);
      }
    }
  });

  it('describes the rate headers of every answer, and 401, 429 and the error codes of each', () => {
    for (const operation of operations()) {
      for (const [status, answer] of answersOf(operation)) {
        expect(Object.keys(answer.headers ?? {}), `${operation.operationId} ${status}`).toEqual(
          expect.arrayContaining([
            'X-Request-Id',
            'X-RateLimit-Limit',
            'X-RateLimit-Remaining',
            'X-RateLimit-Reset',
          ]),
        );
      }
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['429', '500']));
      if (!operation.security) expect(Object.keys(operation.responses)).toContain('401');
    }
    expect(document.info.description).toContain('| stt | `deepgram` | `nova-3`, `flux` |');
    for (const code of Object.keys(ERROR_CODES)) expect(document.info.description).toContain(`\`${code}\``);
  });

  it('offers Idempotency-Key on what mutates', () => {
    for (const route of publicRoutes().filter((entry) => isMutating(entry.method) && isIdempotent(entry))) {
      expect(document.paths[route.path]?.[route.method]?.parameters).toContainEqual({
        $ref: '#/components/parameters/IdempotencyKey',
      });
    }
  });

  it('shows the types and defaults of the query as validated', () => {
    const parameters = document.paths['/api/v1/agents']?.get?.parameters ?? [];
    const named = (name: string) => parameters.find((parameter) => parameter.name === name);
    expect(named('limit')).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    });
    expect(named('active_only')).toMatchObject({ schema: { type: 'boolean', default: true } });
  });

  it('requires the plan of a checkout, and not of a set-up, as the code does', async () => {
    const { key } = await plane.newKey({ sandbox: false });
    const refused = await plane.request('POST', '/api/v1/billing/checkout', { key, body: {} });
    expect([refused.status, refused.json]).toMatchObject([422, { detail: [{ loc: ['body', 'plan'] }] }]);
    const required = (path: string) =>
      document.paths[path]!.post!.requestBody!.content['application/json']!.schema.required;
    expect(required('/api/v1/billing/checkout')).toEqual(['plan']);
    expect(required('/api/v1/billing/setup')).toBeUndefined();
  });

  it('requires of a new agent only what has no default, and of a change nothing', () => {
    const { AgentCreate, AgentUpdate } = document.components.schemas;
    expect(AgentCreate?.required).toEqual(['name', 'system_prompt']);
    expect(AgentUpdate?.required).toBeUndefined();
    expect(Object.keys(AgentUpdate?.properties ?? {}).sort()).toEqual(
      Object.keys(AgentCreate?.properties ?? {}).sort(),
    );
    expect(JSON.stringify(AgentUpdate)).not.toContain('"default":400');
  });
});

/** Every property of every component, with its owner. */
const properties = () =>
  Object.entries(document.components.schemas).flatMap(([owner, { properties: own }]) =>
    Object.entries(own ?? {}).map(
      ([name, schema]) => [`${owner}.${name}`, schema as Record<string, unknown>] as const,
    ),
  );

/** Every object within the value, with the way to it. */
function within(value: unknown, way = ''): [string, Record<string, unknown>][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, part]) => within(part, `${way}/${key}`));
  return Array.isArray(value) ? inner : [[way, value as Record<string, unknown>], ...inner];
}

describe('the schemas, for generators of clients', () => {
  it('describe every property: by .describe(), or in property-descriptions.ts', () => {
    const bare = properties().filter(([, schema]) => !/\w/.test(String(schema.description ?? '')));
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  it('show an example of every property: by .meta({ examples }), or in property-examples.ts', () => {
    const bare = properties().filter(
      ([, schema]) => schema.examples === undefined && !needsNoExample(schema),
    );
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  it.each(Object.entries(RESPONSE_EXAMPLES))(
    '%s: its example is one of it, with nothing else',
    (name, example) => {
      const definitions = JSON.stringify(document.components.schemas)
        .replaceAll('#/components/schemas/', '#/$defs/')
        // An answer may have new fields; an example has only those that are described.
        .replaceAll(
          '"type":"object","properties":',
          '"additionalProperties":false,"type":"object","properties":',
        );
      const $defs = JSON.parse(definitions) as Record<string, object>;
      expect($defs).toHaveProperty(name);
      const schema = z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs } as Parameters<
        typeof z.fromJSONSchema
      >[0]);
      expect(schema.safeParse(example).error?.issues ?? []).toEqual([]);
      expect(document.components.schemas[name]).toMatchObject({ examples: [example] });
    },
  );

  it('are components wherever they are objects', () => {
    const inlined = within(document)
      .filter(([, schema]) => schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0)
      .map(([way]) => way)
      .filter((way) => !/^\/components\/schemas\/\w+$/.test(way))
      // An example or a description of a schema is no schema.
      .filter((way) => !/\/(examples?|default)(\/|$)/.test(way));
    expect(inlined).toEqual([]);
  });

  it('name by which property the forms of a choice differ', () => {
    const undecided = within(document.components.schemas).filter(([, schema]) => {
      const options = optionsOf(schema) ?? [];
      const objects = options.filter(({ $ref }) => typeof $ref === 'string');
      return objects.length > 1 && !('discriminator' in schema);
    });
    expect(undecided.map(([way]) => way)).toEqual([]);
    expect(document.components.schemas.AgentTool).toMatchObject({
      discriminator: { propertyName: 'type', mapping: { mcp: '#/components/schemas/AgentToolMcp' } },
    });
  });

  it('have no pattern beside a format that says it, and no default that is an object', () => {
    const odd = within(document.components.schemas).filter(
      ([, schema]) =>
        (schema.format === 'date-time' && 'pattern' in schema) ||
        String(schema.pattern ?? '').length > 120 ||
        (typeof schema.default === 'object' && schema.default !== null && '$ref' in schema),
    );
    expect(odd.map(([way]) => way)).toEqual([]);
  });

  it('never allow null alone', () => {
    expect(properties().filter(([, { type }]) => type === 'null')).toEqual([]);
  });

  it('have words for their groups: every tag is described in tags.ts', () => {
    const { tags } = document as unknown as { tags: { name: string; description?: string }[] };
    expect(tags.filter(({ description }) => description === undefined)).toEqual([]);
  });
});

describe('the browsable view', () => {
  it.each(['/docs', '/docs/console'])('%s works from this origin alone', async (path) => {
    const page = await plane.request('GET', path);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const loaded = /<(?:script|img|link)\b[^>]*? (?:src|href)="([^"]+)"/g;
    const assets = [...page.text.matchAll(loaded)].map((match) => match[1]!);
    expect(assets.length).toBeGreaterThanOrEqual(4);
    for (const asset of assets) {
      expect(asset).toMatch(/^\/docs\//);
      const answer = await plane.request('GET', asset);
      expect([asset, answer.status, answer.text.length > 100]).toEqual([asset, 200, true]);
    }
  });
});
