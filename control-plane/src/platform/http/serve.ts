import type { Clock } from '@voice/shared/clock/clock';
import type { ServiceError } from '@voice/shared/errors/service-error';
import { newId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { Request, RequestHandler, Response } from 'express';
import {
  authenticate,
  type CredentialLookup,
  SANDBOX_HEADER,
  type SessionPrincipal,
  sandboxOf,
  type TenantSessions,
} from './authentication.js';
import { type BodyRules, DEFAULT_BODY_LIMIT_BYTES, parseBody, readBody } from './body.js';
import { canonicalJson } from './canonical-json.js';
import { closeUnread } from './close-unread.js';
import { apiError } from './error-codes.js';
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
import type { ImportLeases } from './import-leases.js';
import { type InterPlaneRequests, signedStream } from './inter-plane.js';
import { type RateLimiter, rateHeaders, rateLimited } from './rate-limits.js';
import { checkError, checkReply } from './response-check.js';
import {
  type AnyContext,
  type AnyReply,
  choosesMode,
  deprecationHeaders,
  isIdempotent,
  isMutating,
  modeOf,
  type Principal,
  type RateClass,
  type Route,
  takesSessions,
} from './route.js';
import type { StoreWatch } from './store-watch.js';
import { type ClaimedRequest, streamEvents } from './stream-events.js';
import { acceptUpgrade } from './upgrades.js';
import { type ValidationDetail, ValidationError, validationDetails } from './validation.js';

export interface ServeOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly lookup: CredentialLookup;
  readonly sessions: TenantSessions;
  readonly limiter: RateLimiter;
  readonly idempotency: IdempotencyStore;
  readonly imports: ImportLeases;
  readonly interPlane: InterPlaneRequests;
  /** Bounds what waits for the store. */
  readonly storeWatch: StoreWatch;
  /** Whether every answer is held against its declaration; for tests. */
  readonly checkResponses: boolean;
}

/** Counts the request against its subject's limit and sets the X-RateLimit headers; throws 429. */
export async function countRequest(
  response: Response,
  options: Pick<ServeOptions, 'limiter' | 'clock'>,
  subject: string,
  rateClass: RateClass,
): Promise<void> {
  const verdict = await options.limiter.consume(subject, rateClass);
  response.set(rateHeaders(verdict));
  if (!verdict.allowed) throw rateLimited(verdict, options.clock);
}

/** Whose limit a request without a tenant counts against. */
export function addressSubject(request: Request): string {
  return `address/${request.ip ?? 'unknown'}`;
}

/** The tenant behind a key, or behind a session where the route takes one. */
async function principalOf(
  route: Route,
  request: Request,
  options: ServeOptions,
): Promise<Principal | SessionPrincipal> {
  if (takesSessions(route)) {
    const linked = route.linkPrincipal?.(request);
    if (linked) return linked;
    const { method } = request;
    const session = await options.sessions.find({ method, header: (name) => request.get(name) });
    if (session) return session;
  }
  return authenticate(request.get('authorization'), options.lookup);
}

/** The mode of a key is its own; of a session, what it chooses where it matters. Throws 403 `live_mode_required`. */
function inMode(route: Route, request: Request, principal: Principal | SessionPrincipal): Principal {
  const named = request.get(SANDBOX_HEADER);
  // A key's prefix decides, but what is no mode is a mistake in any case.
  const asked = named === undefined ? false : sandboxOf(named);
  const sandbox = 'sandbox' in principal ? principal.sandbox : choosesMode(route) && asked;
  if (sandbox && route.auth === 'tenant_live') throw apiError('live_mode_required');
  return { ...principal, sandbox };
}

/** What the handler gets of who asks: the mode only where its route differs by it. */
function principalContext(route: Route, principal: Principal | undefined) {
  if (!principal || modeOf(route) !== 'own') return principal;
  return { ...principal, scope: { tenant: principal.tenant, sandbox: principal.sandbox } };
}

/** Who asks, within which limit. Failed credentials count against the address. */
async function admit(route: Route, request: Request, response: Response, options: ServeOptions) {
  const rateClass = route.rateClass ?? 'default';
  switch (route.auth) {
    case 'inter_plane':
      return undefined;
    case 'none':
      if (!request.originalUrl.startsWith('/internal/')) {
        await countRequest(response, options, addressSubject(request), rateClass);
      }
      return undefined;
    case 'tenant':
    case 'tenant_in_mode':
    case 'tenant_live':
    case 'api_key': {
      const principal = await principalOf(route, request, options).catch(async (error: unknown) => {
        const failure = toServiceError(error);
        if (failure.status < 500) await countRequest(response, options, addressSubject(request), 'default');
        throw failure;
      });
      await countRequest(response, options, `tenant/${principal.tenant}`, rateClass);
      return inMode(route, request, principal);
    }
  }
}

async function readRaw(route: Route, request: Request, response: Response): Promise<Buffer> {
  if (!isMutating(route.method) || route.bodyType === 'stream') return Buffer.alloc(0);
  return readBody(request, response, route.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES);
}

/** The other plane is trusted with as many values as its batches need, and passes on what models said. */
function bodyRules({ bodyType: type = 'json', bodyMostValues, path }: Route): BodyRules {
  if (path.startsWith('/internal/')) return { type, texts: 'any', mostValues: Number.POSITIVE_INFINITY };
  return bodyMostValues === undefined ? { type } : { type, mostValues: bodyMostValues };
}

/** The validated parts of the request; every mistake in any of them is reported at once. */
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

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' };
/** Of pages that were made for one request: they load nothing, and their address stays with us. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

function wireAnswer(reply: AnyReply): WireAnswer {
  if (reply.body === undefined)
    return { status: reply.status, headers: reply.headers ?? {}, body: Buffer.alloc(0) };
  return {
    status: reply.status,
    headers: { ...JSON_HEADERS, ...reply.headers },
    body: Buffer.from(JSON.stringify(reply.body)),
  };
}

function errorAnswer(error: ServiceError, requestId: string, page?: string): WireAnswer {
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

/** Whether the rest of the request is more than anybody wants to read: it was refused for its size, or is a file. */
function isLeftUnread({ req: request, locals }: Response, { status }: WireAnswer): boolean {
  return (status === 413 || (status >= 400 && locals.receives === true)) && !request.complete;
}

function write(response: Response, answer: WireAnswer): void {
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

/** Runs the handler under its claim: what it answers is kept, what may yet succeed is freed. */
async function runClaimed(
  claim: RunClaim,
  options: ServeOptions,
  requestId: string,
  run: () => Promise<AnyReply>,
): Promise<AnyReply> {
  try {
    const reply = await run();
    if (reply.send) throw new Error('what the handler writes itself cannot be replayed');
    // What is streamed as events is kept when all is sent.
    if (!reply.events) await options.idempotency.complete(claim, wireAnswer(reply));
    return reply;
  } catch (thrown) {
    const error = toServiceError(thrown);
    // A store that does not answer is not waited for once more: the client has its deadline, too.
    if (error.code === 'store_unavailable') options.idempotency.release(claim).catch(() => {});
    else if (error.status >= 500 || error.retryable) await options.idempotency.release(claim);
    else await options.idempotency.complete(claim, errorAnswer(error, requestId));
    throw error;
  }
}

type Outcome =
  | { readonly replayed: WireAnswer }
  | { readonly reply: AnyReply; readonly claimed?: ClaimedRequest };

async function answer(
  route: Route,
  request: Request,
  response: Response,
  options: ServeOptions,
): Promise<void> {
  const token = route.auth === 'inter_plane' ? options.interPlane.read(request) : undefined;
  const principal: Principal | undefined = await options.storeWatch.whileUp(() =>
    admit(route, request, response, options),
  );
  response.locals.tenant = principal?.tenant;
  const rest = () => answerAdmitted(route, request, response, options, { principal, token });
  if (route.receive && principal) await options.imports.run(principal.tenant, rest);
  else await rest();
}

/** Who asks: a tenant or nobody; or the other plane, by its token. */
interface Admitted {
  readonly principal: Principal | undefined;
  readonly token: ReturnType<InterPlaneRequests['read']> | undefined;
}

async function answerAdmitted(
  route: Route,
  request: Request,
  response: Response,
  options: ServeOptions,
  { principal, token }: Admitted,
): Promise<void> {
  const { storeWatch } = options;
  const requestId = String(response.locals.requestId);
  const rawBody = await readRaw(route, request, response);
  if (token) await storeWatch.whileUp(() => options.interPlane.take(token, route, rawBody));
  route.verify?.(rawBody, request);
  const { inputs, sent } = validated(route, request, rawBody);
  const received = await route.receive?.(request);
  const idempotencyKey = isIdempotent(route)
    ? idempotencyKeyFrom(request.get(IDEMPOTENCY_KEY_HEADER))
    : undefined;

  const run = async (resourceId: string): Promise<AnyReply> => {
    const context: AnyContext = {
      ...inputs,
      ...(received ? { body: received.value } : {}),
      ...principalContext(route, principal),
      requestId,
      get log() {
        return options.log.child({
          request_id: requestId,
          ...(principal ? { tenant: principal.tenant } : {}),
        });
      },
      resourceId,
      idempotencyKey,
      rawBody,
      get content() {
        return token ? signedStream(token, request) : request;
      },
      request,
    };
    const reply = await route.handler(context);
    if (options.checkResponses) checkReply(route, reply);
    return reply;
  };

  const outcome = await storeWatch.whileUp(async (): Promise<Outcome> => {
    if (!principal || idempotencyKey === undefined) {
      return { reply: await run(isMutating(route.method) ? newId() : '') };
    }
    const fingerprint = requestFingerprint(
      route.method,
      request.originalUrl,
      received?.digest ?? (sent === undefined ? rawBody : canonicalJson(sent)),
      route.replaysToCredential ? principal.keyId : undefined,
    );
    const claim = await options.idempotency.claim(principal, idempotencyKey, fingerprint);
    if (claim.kind === 'replay') return { replayed: claim.answer };
    const reply = await runClaimed(claim, options, requestId, () => run(claim.resourceId));
    const claimed = {
      claim,
      idempotency: options.idempotency,
      onLockError: (err: unknown) =>
        options.log.warn({ request_id: requestId, err }, 'a lock was not renewed'),
    };
    return { reply, claimed };
  });
  if ('replayed' in outcome) {
    response.set(IDEMPOTENT_REPLAY_HEADER, 'true');
    write(response, outcome.replayed);
    return;
  }
  const { reply, claimed } = outcome;
  const { events } = reply;
  if (events) {
    await streamEvents({ ...reply, events }, response, claimed);
    return;
  }
  if (reply.accept) {
    acceptUpgrade(request, response, reply.accept);
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
export function serve(route: Route, options: ServeOptions): RequestHandler {
  return async (request, response) => {
    response.locals.route = route.path;
    response.locals.receives = route.receive !== undefined;
    if (route.deprecated) response.set(deprecationHeaders(route.deprecated));
    try {
      await answer(route, request, response, options);
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (options.checkResponses && !response.headersSent) {
        try {
          checkError(route, error);
        } catch (undeclared) {
          writeError(response, undeclared, options.log);
          return;
        }
      }
      const isPerson = request.accepts(['json', 'html']) === 'html';
      writeError(response, error, options.log, isPerson ? route.errorPage : undefined);
    }
  };
}
