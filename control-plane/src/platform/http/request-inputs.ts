import type { Request, Response } from 'express';
import { type BodyRules, DEFAULT_BODY_LIMIT_BYTES, parseBody, readBody } from './body.js';
import type { Route } from './route.js';
import { isMutating } from './route-traits.js';
import { type ValidationDetail, ValidationError, validationDetails } from './validation.js';

/** Reads the body of what mutates, as it was sent; nothing of a stream. */
export async function readRaw(route: Route, request: Request, response: Response): Promise<Buffer> {
  if (!isMutating(route.method) || route.bodyType === 'stream') return Buffer.alloc(0);
  return readBody(request, response, route.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES);
}

/** The other plane is trusted with as many values as its batches need, and passes on what models said. */
function bodyRules({ bodyType: type = 'json', bodyMostValues, path }: Route): BodyRules {
  if (path.startsWith('/internal/')) return { type, texts: 'any', mostValues: Number.POSITIVE_INFINITY };
  return bodyMostValues === undefined ? { type } : { type, mostValues: bodyMostValues };
}

/** Returns the validated parts of the request; every mistake in any of them is reported at once. */
export function validated(route: Route, request: Request, raw: Buffer) {
  const mistakes: ValidationDetail[] = [];
  const check = (place: 'path' | 'query' | 'body', input: unknown): unknown => {
    const schema = place === 'path' ? route.params : place === 'query' ? route.query : route.body;
    if (!schema) return place === 'body' ? undefined : {};
    const parsed = schema.safeParse(input);
    if (parsed.success) return parsed.data;
    mistakes.push(...validationDetails(place, input, parsed.error));
    return undefined;
  };
  const params = check('path', request.params);
  const query = check('query', { ...request.query });
  const sent =
    route.body && !route.receive ? parseBody(raw, request.get('content-type'), bodyRules(route)) : undefined;
  const body = route.body && !route.receive ? check('body', sent) : undefined;
  mistakes.push(...missingFields(route, body));
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  return { inputs: { params, query, body }, sent };
}

function missingFields({ requiredFields = [] }: Route, body: unknown): ValidationDetail[] {
  if (typeof body !== 'object' || body === null) return [];
  return requiredFields
    .filter((name) => (body as Record<string, unknown>)[name] === undefined)
    .map((name) => ({ loc: ['body', name], msg: 'Field required', type: 'missing' }));
}
