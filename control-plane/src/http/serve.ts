import type { Clock } from '@voice/shared/clock/clock';
import type { ServiceError } from '@voice/shared/errors/service-error';
import { newId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { Request, RequestHandler, Response } from 'express';
import {
  authenticate,
  type CredentialLookup,
  requireInterPlane,
  SANDBOX_HEADER,
  type SessionPrincipal,
  sandboxOf,
  type TenantSessions,
} from './authentication.js';
import { DEFAULT_BODY_LIMIT_BYTES, parseBody, readBody } from './body.js';
import { errorBody, toServiceError } from './errors.js';
import {
  IDEMPOTENCY_KEY_HEADER,
  IDEMPOTENT_REPLAY_HEADER,
  type IdempotencyStore,
  idempotencyKeyFrom,
  type RunClaim,
  requestFingerprint,
  type WireAnswer,
} from './idempotency.js';
import { type RateLimiter, rateHeaders, rateLimited } from './rate-limits.js';
import { checkError, checkReply } from './response-check.js';
import {
  type AnyContext,
  type AnyReply,
  deprecationHeaders,
  isIdempotent,
  isMutating,
  type Principal,
  type RateClass,
  type Route,
  takesSessions,
} from './route.js';
import { type ClaimedRequest, tellEvents } from './tell-events.js';
import { type ValidationDetail, ValidationError, validationDetails } from './validation.js';

export interface ServeDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly lookup: CredentialLookup;
  readonly sessions: TenantSessions;
  readonly limiter: RateLimiter;
  readonly idempotency: IdempotencyStore;
  readonly internalSecret: string;
  /** Whether every answer is held against its declaration; for tests. */
  readonly checkResponses: boolean;
}

/** Counts the request against its subject's limit and sets the X-RateLimit headers; throws 429. */
export async function countRequest(
  response: Response,
  deps: Pick<ServeDeps, 'limiter' | 'clock'>,
  subject: string,
  rateClass: RateClass,
): Promise<void> {
  const verdict = await deps.limiter.consume(subject, rateClass);
  response.set(rateHeaders(verdict));
  if (!verdict.allowed) throw rateLimited(verdict, deps.clock);
}

/** Whose limit a request without a tenant counts against. */
export function addressSubject(request: Request): string {
  return `address/${request.ip ?? 'unknown'}`;
}

/** The tenant behind a key, or behind a session where the route takes one. */
async function principalOf(
  route: Route,
  request: Request,
  deps: ServeDeps,
): Promise<Principal | SessionPrincipal> {
  if (takesSessions(route)) {
    const { method } = request;
    const session = await deps.sessions.find({ method, header: (name) => request.get(name) });
    if (session) return session;
  }
  return authenticate(request.get('authorization'), deps.lookup);
}

/** The mode of a key is its own; of a session, what it says where it matters. */
function inMode(route: Route, request: Request, principal: Principal | SessionPrincipal): Principal {
  if ('sandbox' in principal) return principal;
  const sandbox = route.auth === 'tenant_in_mode' && sandboxOf(request.get(SANDBOX_HEADER));
  return { ...principal, sandbox };
}

/** Who asks, within which limit. Failed credentials count against the address. */
async function admit(route: Route, request: Request, response: Response, deps: ServeDeps) {
  const authorization = request.get('authorization');
  const rateClass = route.rateClass ?? 'default';
  switch (route.auth) {
    case 'inter_plane':
      requireInterPlane(
        { authorization, method: request.method, path: request.originalUrl },
        deps.internalSecret,
        deps.clock,
      );
      return undefined;
    case 'none':
      if (!request.originalUrl.startsWith('/internal/')) {
        await countRequest(response, deps, addressSubject(request), rateClass);
      }
      return undefined;
    case 'tenant':
    case 'tenant_in_mode':
    case 'api_key': {
      const principal = await principalOf(route, request, deps).catch(async (error: unknown) => {
        const failure = toServiceError(error);
        if (failure.status < 500) await countRequest(response, deps, addressSubject(request), 'default');
        throw failure;
      });
      await countRequest(response, deps, `tenant/${principal.tenant}`, rateClass);
      return inMode(route, request, principal);
    }
  }
}

async function readRaw(route: Route, request: Request, response: Response): Promise<Buffer> {
  if (!isMutating(route.method) || route.bodyType === 'stream') return Buffer.alloc(0);
  return readBody(request, response, route.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES);
}

/** The validated parts of the request; every mistake in any of them is told at once. */
function validated(route: Route, request: Request, raw: Buffer) {
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
  const body =
    route.body && !route.receive
      ? check(
          'body',
          parseBody(
            raw,
            request.get('content-type'),
            route.bodyType ?? 'json',
            route.path.startsWith('/internal/') ? 'any' : 'whole',
          ),
        )
      : undefined;
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  return { params, query, body };
}

function wireAnswer(reply: AnyReply): WireAnswer {
  if (reply.body === undefined)
    return { status: reply.status, headers: reply.headers ?? {}, body: Buffer.alloc(0) };
  return {
    status: reply.status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...reply.headers },
    body: Buffer.from(JSON.stringify(reply.body)),
  };
}

function errorAnswer(error: ServiceError, requestId: string): WireAnswer {
  return {
    status: error.status,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(error.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...(error.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(error.retryAfterSeconds) }),
    },
    body: Buffer.from(JSON.stringify(errorBody(error, requestId))),
  };
}

function write(response: Response, answer: WireAnswer): void {
  response.status(answer.status).set(answer.headers);
  if (answer.status !== 204 && answer.status !== 304)
    response.set('Content-Length', String(answer.body.length));
  response.end(answer.body);
}

/** Writes an error in the API's shape. */
export function writeError(response: Response, thrown: unknown, log: Log): void {
  const error = toServiceError(thrown);
  const requestId = String(response.locals.requestId);
  response.locals.errorCode = error.code;
  if (error.status >= 500) {
    const told = { request_id: requestId, error_code: error.code };
    // What has no cause was decided (no worker has room, a vendor is not configured): nobody's fault.
    if (error.cause === undefined && error.code !== 'internal_error') {
      log.warn({ ...told, reason: error.message }, 'refused');
    } else log.error({ ...told, err: error.cause ?? error }, 'failed');
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  write(response, errorAnswer(error, requestId));
}

/** Runs the handler under its claim: what it answers is kept, what may yet succeed is freed. */
async function runClaimed(
  claim: RunClaim,
  deps: ServeDeps,
  requestId: string,
  run: () => Promise<AnyReply>,
): Promise<AnyReply> {
  try {
    const reply = await run();
    if (reply.send) throw new Error('what the handler writes itself cannot be replayed');
    // What is told as events is kept when all is told.
    if (!reply.events) await deps.idempotency.complete(claim, wireAnswer(reply));
    return reply;
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (error.status >= 500 || error.retryable) await deps.idempotency.release(claim);
    else await deps.idempotency.complete(claim, errorAnswer(error, requestId));
    throw error;
  }
}

async function answer(route: Route, request: Request, response: Response, deps: ServeDeps): Promise<void> {
  const requestId = String(response.locals.requestId);
  const principal: Principal | undefined = await admit(route, request, response, deps);
  response.locals.tenant = principal?.tenant;
  const rawBody = await readRaw(route, request, response);
  route.verify?.(rawBody, request);
  const inputs = validated(route, request, rawBody);
  const received = await route.receive?.(request);
  const idempotencyKey = isIdempotent(route)
    ? idempotencyKeyFrom(request.get(IDEMPOTENCY_KEY_HEADER))
    : undefined;

  const run = async (resourceId: string): Promise<AnyReply> => {
    const context: AnyContext = {
      ...inputs,
      ...(received ? { body: received.value } : {}),
      ...principal,
      requestId,
      get log() {
        return deps.log.child({ request_id: requestId, ...(principal ? { tenant: principal.tenant } : {}) });
      },
      resourceId,
      idempotencyKey,
      rawBody,
      request,
    };
    const reply = await route.handler(context);
    if (deps.checkResponses) checkReply(route, reply);
    return reply;
  };

  let reply: AnyReply;
  let claimed: ClaimedRequest | undefined;
  if (principal && idempotencyKey !== undefined) {
    const fingerprint = requestFingerprint(
      route.method,
      request.originalUrl,
      received?.digest ?? rawBody,
      route.replaysToCredential ? principal.keyId : undefined,
    );
    const claim = await deps.idempotency.claim(principal, idempotencyKey, fingerprint);
    if (claim.kind === 'replay') {
      response.set(IDEMPOTENT_REPLAY_HEADER, 'true');
      write(response, claim.answer);
      return;
    }
    reply = await runClaimed(claim, deps, requestId, () => run(claim.resourceId));
    claimed = {
      claim,
      idempotency: deps.idempotency,
      onLockError: (err) => deps.log.warn({ request_id: requestId, err }, 'a lock was not renewed'),
    };
  } else {
    reply = await run(isMutating(route.method) ? newId() : '');
  }
  const { events } = reply;
  if (events) {
    await tellEvents({ ...reply, events }, response, claimed);
    return;
  }
  if (reply.send) {
    response.status(reply.status).set(reply.headers ?? {});
    await reply.send(response);
    return;
  }
  write(response, wireAnswer(reply));
}

/** The Express handler of a declared route. */
export function serve(route: Route, deps: ServeDeps): RequestHandler {
  return async (request, response) => {
    response.locals.route = route.path;
    if (route.deprecated) response.set(deprecationHeaders(route.deprecated));
    try {
      await answer(route, request, response, deps);
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (deps.checkResponses && !response.headersSent) {
        try {
          checkError(route, error);
        } catch (undeclared) {
          writeError(response, undeclared, deps.log);
          return;
        }
      }
      writeError(response, error, deps.log);
    }
  };
}
