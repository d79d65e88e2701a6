import { newId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import type { AnyContext, AnyReply, Route } from '../platform/http/route.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';

/** A request as it is once who sends it is known. Query values are text, as on the wire. */
export interface RouteRequest {
  readonly scope?: TenantScope;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Calls one route without a server: parses what comes in by its declaration, and throws where the answer is not one
 * of those that it declares. Throws zod's error for a request that it refuses.
 */
export async function callRoute(
  routes: readonly Route[],
  operationId: string,
  { scope, params = {}, query = {}, body }: RouteRequest,
): Promise<AnyReply> {
  const route = routes.find((each) => each.operationId === operationId);
  if (!route) throw new Error(`no route ${operationId}`);
  const context = {
    requestId: newId(),
    resourceId: newId(),
    log: silentLog,
    ...scope,
    scope,
    params: route.params?.parse(params) ?? {},
    query: route.query?.parse(query) ?? {},
    body: route.body?.parse(body),
  };
  const reply = await route.handler(context as unknown as AnyContext);
  const declared = route.responses[reply.status];
  if (!declared) throw new Error(`${operationId} does not declare ${reply.status}`);
  declared.schema?.parse(reply.body);
  return reply;
}

/** What a client knows a route by, and who may call it. */
export function namesOf(routes: readonly Route[]): string[] {
  return routes.map(
    ({ method, path, operationId, tag, auth, errors = [] }) =>
      `${method} ${path} ${operationId} (${tag}, ${auth})${errors.map((code) => ` ${code}`).join('')}`,
  );
}
