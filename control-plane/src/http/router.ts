import type { Express, Request, Response } from 'express';
import { apiError } from './error-codes.js';
import { isIdempotent, type Method, type Route } from './route.js';
import { addressSubject, countRequest, type ServeDeps, serve, writeError } from './serve.js';

/** `/agents/{agent_id}` as Express writes it. */
function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Registers a plane's routes; a known path with another method answers 405. */
export function mountRoutes(app: Express, routes: readonly Route[], deps: ServeDeps): void {
  const methods = new Map<string, Method[]>();
  for (const route of literalFirst(routes)) {
    const path = expressPath(route.path);
    const known = methods.get(path) ?? [];
    if (known.includes(route.method)) throw new Error(`declared twice: ${route.method} ${route.path}`);
    if (route.bodyType === 'stream' && !route.receive && isIdempotent(route)) {
      throw new Error(`a streamed body cannot be recognised when it is repeated: ${route.path}`);
    }
    methods.set(path, [...known, route.method]);
    app[route.method](path, serve(route, deps));
  }
  for (const [path, known] of methods) {
    const allow = [...known, ...(known.includes('get') ? ['head'] : [])].map((method) =>
      method.toUpperCase(),
    );
    app.all(path, (request, response) => {
      response.set('Allow', allow.sort().join(', '));
      void refuse(request, response, deps, apiError('method_not_allowed'));
    });
  }
}

/** `/calls/test` before `/calls/{call_id}`: a literal is never taken for a parameter. */
function literalFirst(routes: readonly Route[]): readonly Route[] {
  const rank = (route: Route) => route.path.replaceAll(/\{\w+\}/g, '\u{10ffff}');
  return [...routes].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
}

/** Answers what no route serves; it counts against the address like everything without a tenant. */
export async function refuse(
  request: Request,
  response: Response,
  deps: ServeDeps,
  reason: unknown,
): Promise<void> {
  try {
    await countRequest(response, deps, addressSubject(request), 'default');
    writeError(response, reason, deps.log);
  } catch (error) {
    writeError(response, error, deps.log);
  }
}
