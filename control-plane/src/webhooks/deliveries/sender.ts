import type { Clock } from '@voice/shared/clock/clock';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { guardedRequest } from '@voice/shared/egress/guarded-request';
import { ServiceError } from '@voice/shared/errors/service-error';
import { deliveryHeaders } from './delivery-headers.js';
import { retryAfterMs } from './retry-schedule.js';

/** From the first byte out to the last byte in, in ms. */
export const SEND_TIMEOUT_MS = 10_000;
/** What a receiver says beyond this is not read. */
const MAX_RESPONSE_BYTES = 16 * 1024;

export interface Sending {
  readonly url: string;
  readonly secret: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly body: string;
}

/** How an attempt went. */
export interface SendResult {
  readonly ok: boolean;
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly retryAfterMs?: number;
}

interface SenderOptions {
  readonly policy: AddressPolicy;
  readonly clock: Clock;
  /** Of the three headers, such as `X-Service-`. */
  readonly headerPrefix: string;
  readonly timeoutMs?: number;
}

/** Posts signed events to tenants' URLs. */
export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Resolves with how it went; rejects only when `signal` aborts. */
  async send({ url, secret, eventId, eventType, body }: Sending, signal: AbortSignal): Promise<SendResult> {
    const { policy, clock, headerPrefix, timeoutMs = SEND_TIMEOUT_MS } = this.#options;
    try {
      const { status, headers } = await guardedRequest({
        url,
        method: 'POST',
        headers: deliveryHeaders({ headerPrefix, secret, eventId, eventType, body, now: clock.now() }),
        body,
        timeoutMs,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        longAnswer: 'cut',
        policy,
        signal,
      });
      if (status >= 200 && status < 300) return { ok: true, status, error: null };
      const asked = headers['retry-after'];
      return {
        ok: false,
        status,
        error: `The receiver answered ${status}.`,
        retryAfterMs: retryAfterMs(Array.isArray(asked) ? asked[0] : asked, clock.now()),
      };
    } catch (error) {
      signal.throwIfAborted();
      const said = error instanceof ServiceError ? `${error.code}: ${error.message}` : 'egress_failed';
      return { ok: false, status: null, error: said };
    }
  }
}
