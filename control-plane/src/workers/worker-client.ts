import type { Clock } from '@voice/shared/clock/clock';
import type { CallUsage } from '@voice/shared/contracts/call-events';
import { type CallPlan, type Reservation, reservation } from '@voice/shared/contracts/call-plan';
import { type ExplainedCall, explainedCall } from '@voice/shared/contracts/decisions';
import { type WebRtcOffer, webRtcAnswer } from '@voice/shared/contracts/webrtc';
import {
  type CallCommand,
  commandReply,
  givenBack,
  type HeldCalls,
  heldCalls,
} from '@voice/shared/contracts/worker';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { Agent } from 'undici';
import { z } from 'zod';
import { exchange } from '../platform/http-exchange.js';

/** How long a worker may take to answer, in ms. */
const REQUEST_TIMEOUT_MS = 3000;
/** The same for a worker that is asked whether it lives; its calls are to end within 15 s if it does not. */
const HELD_TIMEOUT_MS = 2000;

/** The same for an offer, which waits for a transport to be made. */
const OFFER_TIMEOUT_MS = 8000;

/** The same for a decision log that is explained, beside live calls. */
const EXPLAIN_TIMEOUT_MS = 15_000;

/** Answers that are about the plan and not about the moment; the worker's body says what is wrong. */
const PLAN_REFUSED: ReadonlySet<number> = new Set([400, 422, 502]);
const refusal = z.object({ code: z.string(), detail: z.string() });

export type ReserveOutcome =
  | { readonly kind: 'reserved'; readonly reservation: Reservation }
  | { readonly kind: 'full' }
  /** The plan itself is wrong for this worker: a provider that it does not have, for example. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** No answer, or not one of a worker; `cause` says what. */
  | { readonly kind: 'unreachable'; readonly cause: unknown };

export type OfferOutcome =
  /** The worker's answer as it gave it. */
  | { readonly kind: 'answered'; readonly answer: WorkerAnswer }
  /** The offer itself is wrong, in the worker's words. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The worker does not hold the call, or it is over. */
  | { readonly kind: 'over' }
  /** The offer does not fit the connection that the session has; the worker says what to send instead. */
  | { readonly kind: 'conflict'; readonly code: string; readonly message: string }
  /** The worker cannot take WebRTC now, in its own words. */
  | { readonly kind: 'unavailable'; readonly message: string; readonly retryAfterSeconds: number | undefined }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unreachable'; readonly cause: unknown };

const workerAnswer = z.looseObject(webRtcAnswer.shape);
type WorkerAnswer = z.output<typeof workerAnswer>;

export type CommandOutcome = 'accepted' | 'already_ended' | 'not_held' | 'unreachable';

export type ExplainOutcome =
  | { readonly kind: 'explained'; readonly call: ExplainedCall }
  /** The log is of a version that this worker cannot read, or too long; the worker says what. */
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'unreachable'; readonly cause: unknown };

export interface WorkerClientOptions {
  readonly secret: string;
  readonly clock: Clock;
  /** How long a worker may take to answer an offer, in ms. */
  readonly offerTimeoutMs?: number;
}

/** Speaks to the workers' command servers. Never throws: a worker that does not answer is a normal outcome. */
export class WorkerClient {
  readonly #options: WorkerClientOptions;
  readonly #offerTimeoutMs: number;
  /** Its own: the process-wide one may be the copy of undici that Node carries inside, and both would run. */
  readonly #connections = new Agent();

  constructor(options: WorkerClientOptions) {
    this.#options = options;
    this.#offerTimeoutMs = options.offerTimeoutMs ?? OFFER_TIMEOUT_MS;
  }

  async reserve(controlUrl: string, plan: CallPlan): Promise<ReserveOutcome> {
    try {
      const { status, text } = await this.#send(controlUrl, 'POST', '/control/calls', plan);
      if (status === 503) return { kind: 'full' };
      if (PLAN_REFUSED.has(status)) {
        const { code, detail } = refusal.parse(JSON.parse(text));
        return { kind: 'refused', code, message: detail };
      }
      if (status !== 201) throw new Error(`the worker answered ${status}`);
      const given = reservation.parse(JSON.parse(text));
      if (given.call_id !== plan.call_id) throw new Error('the worker reserved for another call');
      return { kind: 'reserved', reservation: given };
    } catch (cause) {
      // It may have reserved before its answer was lost; giving back what was never taken is harmless.
      // Waited for, so that it cannot overtake a later reservation of the same call.
      await this.giveBack(controlUrl, plan.call_id);
      return { kind: 'unreachable', cause };
    }
  }

  /** Returns what the worker says that it holds; undefined when nothing that is a worker answers there. */
  async held(controlUrl: string): Promise<HeldCalls | undefined> {
    try {
      const { status, text } = await this.#send(
        controlUrl,
        'GET',
        '/control/calls',
        undefined,
        HELD_TIMEOUT_MS,
      );
      return status === 200 ? heldCalls.parse(JSON.parse(text)) : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Gives a reservation back. Idempotent; when it fails, the worker's own deadline frees the place.
   * @returns what preparing the call has used; null when that was nothing, or the worker did not say
   */
  async giveBack(controlUrl: string, callId: string): Promise<CallUsage | null> {
    try {
      const { status, text } = await this.#send(controlUrl, 'DELETE', `/control/calls/${callId}`);
      return status === 200 ? givenBack.parse(JSON.parse(text)).usage : null;
    } catch {
      return null;
    }
  }

  /** Idempotent by the command's id, so it is sent again when the answer is lost. */
  async command(controlUrl: string, callId: string, command: CallCommand): Promise<CommandOutcome> {
    for (let attempt = 1; attempt <= 3; attempt++) {
      try {
        const path = `/control/calls/${callId}/commands`;
        const { status, text } = await this.#send(controlUrl, 'POST', path, command);
        if (status === 404) return 'not_held';
        if (status >= 200 && status < 300) return commandReply.parse(JSON.parse(text)).status;
        if (status < 500) return 'unreachable';
      } catch {
        // Tried again below.
      }
      if (attempt < 3) await this.#options.clock.sleep(100 * attempt);
    }
    return 'unreachable';
  }

  /** Hands a tester's offer on. Sent once: whether an offer whose answer was lost is made again is the tester's to say. */
  async offer(controlUrl: string, callId: string, offer: WebRtcOffer): Promise<OfferOutcome> {
    try {
      const path = `/control/calls/${callId}/webrtc`;
      const { status, text, retryAfter } = await this.#send(
        controlUrl,
        'POST',
        path,
        offer,
        this.#offerTimeoutMs,
      );
      switch (status) {
        case 200:
          return { kind: 'answered', answer: workerAnswer.parse(JSON.parse(text)) };
        case 404:
        case 410:
          return { kind: 'over' };
        case 409: {
          const { code, detail } = refusal.parse(JSON.parse(text));
          return { kind: 'conflict', code, message: detail };
        }
        case 400:
        case 413:
        case 422:
          return { kind: 'refused', message: refusal.parse(JSON.parse(text)).detail };
        case 503: {
          const seconds = Number(retryAfter);
          const retryAfterSeconds = retryAfter !== undefined && seconds > 0 ? Math.ceil(seconds) : undefined;
          return { kind: 'unavailable', message: refusal.parse(JSON.parse(text)).detail, retryAfterSeconds };
        }
        default:
          throw new Error(`the worker answered ${status}`);
      }
    } catch (cause) {
      const late = cause instanceof Error && cause.name === 'TimeoutError';
      return late ? { kind: 'timeout' } : { kind: 'unreachable', cause };
    }
  }

  /** Has a decision log (NDJSON, gzip) explained by the worker's rules. */
  async explain(controlUrl: string, log: Uint8Array): Promise<ExplainOutcome> {
    try {
      const { status, text } = await this.#send(
        controlUrl,
        'POST',
        '/control/decisions',
        log,
        EXPLAIN_TIMEOUT_MS,
      );
      if (status === 413 || status === 422) {
        return { kind: 'unreadable', message: refusal.parse(JSON.parse(text)).detail };
      }
      if (status !== 200) throw new Error(`the worker answered ${status}`);
      return { kind: 'explained', call: explainedCall.parse(JSON.parse(text)) };
    } catch (cause) {
      return { kind: 'unreachable', cause };
    }
  }

  async #send(
    controlUrl: string,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object | Uint8Array,
    timeoutMs = REQUEST_TIMEOUT_MS,
  ): Promise<{ readonly status: number; readonly text: string; readonly retryAfter: string | undefined }> {
    const isRaw = body instanceof Uint8Array;
    const sent = body === undefined || isRaw ? body : JSON.stringify(body);
    const { status, headers, text } = await exchange(this.#connections, {
      method,
      url: controlUrl + path,
      headers: {
        authorization: interPlaneAuthorization({
          secret: this.#options.secret,
          method,
          path,
          body: sent,
          now: this.#options.clock.now(),
        }),
        ...(sent === undefined ? {} : { 'content-type': isRaw ? 'application/gzip' : 'application/json' }),
      },
      body: sent,
      timeoutMs,
    });
    const { 'retry-after': retryAfter } = headers;
    return {
      status,
      text,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    };
  }
}
