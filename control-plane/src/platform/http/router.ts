import type { Express, Request, Response } from 'express';
import { addressSubject, countRequest } from './admission.js';
import { apiError } from './error-codes.js';
import type { Method, Route } from './route.js';
import { isIdempotent } from './route-traits.js';
import { type ServeOptions, serve } from './serve.js';
import { writeError } from './wire-answers.js';

/** `/agents/{agent_id}` as Express writes it. */
function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Registers a plane's routes; a known path with another method answers 405. */
export function mountRoutes(app: Express, routes: readonly Route[], options: ServeOptions): void {
  for (const sameAddress of byAddress(routes)) {
    const methods = new Set<Method>();
    for (const route of sameAddress) {
      if (methods.has(route.method)) throw new Error(`declared twice: ${route.method} ${route.path}`);
      if (route.bodyType === 'stream' && !route.receive && isIdempotent(route)) {
        throw new Error(`a streamed body cannot be recognised when it is repeated: ${route.path}`);
      }
      methods.add(route.method);
      app[route.method](expressPath(route.path), serve(route, options));
    }
    const allow = [...methods, ...(methods.has('get') ? ['head'] : [])].map((method) => method.toUpperCase());
    app.all(expressPath(sameAddress[0]!.path), (request, response) => {
      response.set('Allow', allow.sort().join(', '));
      void refuse(request, response, options, apiError('method_not_allowed'));
    });
  }
}

/**
 * Returns the routes of each address together, `/calls/test` before `/calls/{call_id}`: a literal is never taken for a
 * parameter, neither by its own methods nor by those that it does not have.
 */
function byAddress(routes: readonly Route[]): readonly (readonly Route[])[] {
  const addresses = new Map<string, Route[]>();
  for (const route of routes) {
    const address = route.path.replaceAll(/\{\w+\}/g, '\u{10ffff}');
    addresses.set(address, [...(addresses.get(address) ?? []), route]);
  }
  return [...addresses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sameAddress]) => sameAddress);
}

/** Answers what no route serves; it counts against the address like everything without a tenant. */
export async function refuse(
  request: Request,
  response: Response,
  options: ServeOptions,
  reason: unknown,
): Promise<void> {
  try {
    await countRequest(response, options, addressSubject(request), 'default');
    writeError(response, reason, options.log);
  } catch (error) {
    writeError(response, error, options.log);
  }
}
