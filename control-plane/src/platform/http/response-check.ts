import { isDeepStrictEqual } from 'node:util';
import type { ServiceError } from '@voice/shared/errors/service-error';
import type { AnyReply, Route } from './route.js';
import { errorCodesOf } from './route-errors.js';

/** The route answered something that its declaration does not say. */
class UndeclaredResponseError extends Error {
  override readonly name = 'UndeclaredResponseError';
}

/**
 * Holds a reply against the route's declaration, field by field; throws when they differ. For tests:
 * so the OpenAPI description cannot promise what the service does not do.
 */
export function checkReply(route: Route, reply: AnyReply): void {
  const declared = route.responses[reply.status];
  const name = `${route.method.toUpperCase()} ${route.path} ${reply.status}`;
  if (!declared) throw new UndeclaredResponseError(`${name} is not declared`);
  if (declared.alternatives && reply.send) return;
  if (!declared.schema) {
    if (reply.body !== undefined) throw new UndeclaredResponseError(`${name} is declared without a body`);
    return;
  }
  const wire: unknown = JSON.parse(JSON.stringify(reply.body));
  const parsed = declared.schema.safeParse(wire);
  if (!parsed.success) throw new UndeclaredResponseError(`${name}: ${parsed.error.message}`);
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(parsed.data)), wire)) {
    throw new UndeclaredResponseError(
      `${name} holds fields that its schema does not declare: ${JSON.stringify(wire)}`,
    );
  }
}

export function checkError(route: Route, error: ServiceError): void {
  if (!(errorCodesOf(route) as readonly string[]).includes(error.code)) {
    throw new UndeclaredResponseError(
      `${route.method.toUpperCase()} ${route.path} does not declare the error ${error.code}`,
    );
  }
}
