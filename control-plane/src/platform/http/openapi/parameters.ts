import { z } from 'zod';
import { SANDBOX_HEADER } from '../authentication.js';
import { IDEMPOTENCY_KEY_HEADER } from '../idempotency.js';
import type { Route } from '../route.js';
import { choosesMode, isIdempotent } from '../route-traits.js';
import type { ComponentSchemas, JsonSchema } from './component-schemas.js';

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

/** Returns the members of an object schema as parameters. */
function members(
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

/** Parameters that many operations have, as components. */
export const COMMON_PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  IdempotencyKey: {
    name: IDEMPOTENCY_KEY_HEADER,
    in: 'header',
    required: false,
    description: 'For 24 hours the same key gets the same answer, and the operation runs once.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  Sandbox: {
    name: SANDBOX_HEADER,
    in: 'header',
    required: false,
    description:
      'The mode that a request with a session chooses: the sandbox with `true`, else production. With an API key its ' +
      'prefix decides, whichever of the two this header says.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
};

/** Returns all parameters of an operation: path, query and headers. */
export function parametersOf(schemas: ComponentSchemas, route: Route): JsonSchema[] {
  return [
    ...members(schemas, 'path', route.params),
    ...members(schemas, 'query', route.query),
    ...Object.entries(route.requiredHeaders ?? {}).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    ...(isIdempotent(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(choosesMode(route) ? [{ $ref: '#/components/parameters/Sandbox' }] : []),
  ];
}
