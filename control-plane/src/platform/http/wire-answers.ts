import type { ServiceError } from '@voice/shared/errors/service-error';
import type { Log } from '@voice/shared/log/log';
import type { Response } from 'express';
import { closeUnread } from './close-unread.js';
import { errorBody, toServiceError } from './errors.js';
import type { WireAnswer } from './idempotency.js';
import type { AnyReply, Route } from './route.js';

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' };
/** Of pages that were made for one request: they load nothing, and their address stays with us. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

export function wireAnswer(reply: AnyReply): WireAnswer {
  if (reply.body === undefined)
    return { status: reply.status, headers: reply.headers ?? {}, body: Buffer.alloc(0) };
  return {
    status: reply.status,
    headers: { ...JSON_HEADERS, ...reply.headers },
    body: Buffer.from(JSON.stringify(reply.body)),
  };
}

export function errorAnswer(error: ServiceError, requestId: string, page?: string): WireAnswer {
  return {
    status: error.status,
    headers: {
      ...(page === undefined ? JSON_HEADERS : PAGE_HEADERS),
      ...(error.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...(error.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(error.retryAfterSeconds) }),
    },
    body: Buffer.from(page ?? JSON.stringify(errorBody(error, requestId))),
  };
}

/**
 * Returns whether the rest of the request is more than anybody wants to read: it was refused for its size, or is a
 * file.
 */
function isLeftUnread({ req: request, locals }: Response, { status }: WireAnswer): boolean {
  return (status === 413 || (status >= 400 && locals.receives === true)) && !request.complete;
}

export function write(response: Response, answer: WireAnswer): void {
  response.status(answer.status).set(answer.headers);
  if (isLeftUnread(response, answer)) {
    closeUnread(response, answer.body);
    return;
  }
  if (answer.status !== 204 && answer.status !== 304)
    response.set('Content-Length', String(answer.body.length));
  response.end(answer.body);
}

/** Writes an error in the API's shape, or as the page that a route has for persons. */
export function writeError(
  response: Response,
  thrown: unknown,
  log: Log,
  errorPage?: Route['errorPage'],
): void {
  const error = toServiceError(thrown);
  const requestId = String(response.locals.requestId);
  response.locals.errorCode = error.code;
  if (error.status >= 500) {
    const fields = { request_id: requestId, error_code: error.code };
    // What has no cause was decided (no worker has room, a vendor is not configured): nobody's fault.
    if (error.cause === undefined && error.code !== 'internal_error') {
      log.warn({ ...fields, reason: error.message }, 'refused');
    } else log.error({ ...fields, err: error.cause ?? error }, 'failed');
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  write(response, errorAnswer(error, requestId, errorPage?.(error, requestId)));
}
