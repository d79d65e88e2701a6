import { newId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { Request, RequestHandler, Response } from 'express';
import { type AdmissionOptions, admit, isStillAdmitted, principalContext } from './admission.js';
import { canonicalJson } from './canonical-json.js';
import { deprecationHeaders } from './deprecation.js';
import { toServiceError } from './errors.js';
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
import { readRaw, validated } from './request-inputs.js';
import { checkError, checkReply } from './response-check.js';
import type { AnyContext, AnyReply, Principal, Route } from './route.js';
import { isIdempotent, isMutating } from './route-traits.js';
import type { StoreWatch } from './store-watch.js';
import { type ClaimedRequest, streamEvents } from './stream-events.js';
import { acceptUpgrade } from './upgrades.js';
import { errorAnswer, wireAnswer, write, writeError } from './wire-answers.js';

export interface ServeOptions extends AdmissionOptions {
  readonly log: Log;
  readonly idempotency: IdempotencyStore;
  readonly imports: ImportLeases;
  readonly interPlane: InterPlaneRequests;
  /** Bounds what waits for the store. */
  readonly storeWatch: StoreWatch;
  /** Whether every answer is held against its declaration; for tests. */
  readonly checkResponses: boolean;
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
      isStillAdmitted: async () => !principal || isStillAdmitted(route, principal, options),
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

/** Makes the Express handler of a declared route. */
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
