import type { Clock } from '@voice/shared/clock/clock';
import { StripeRefusal } from './errors.js';

export interface StoredReply {
  readonly status: number;
  readonly body: string;
}

/** For how long a key is remembered, in ms: Stripe removes keys after at least 24 hours. */
const LIFE_MS = 24 * 60 * 60 * 1000;

/** Answers to requests with an Idempotency-Key (https://docs.stripe.com/api/idempotent_requests). */
export class IdempotentReplies {
  readonly #clock: Clock;
  readonly #kept = new Map<
    string,
    { readonly fingerprint: string; readonly reply: StoredReply; readonly at: number }
  >();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the answer that was given under the key, or that of running it now; refuses another request. */
  once(key: string, fingerprint: string, run: () => StoredReply): { reply: StoredReply; replayed: boolean } {
    if (key.length > 255) throw new StripeRefusal(400, 'Idempotency keys are at most 255 characters.');
    const now = this.#clock.now();
    const known = this.#kept.get(key);
    if (known && now - known.at < LIFE_MS) {
      if (known.fingerprint !== fingerprint) {
        throw new StripeRefusal(
          400,
          `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}'.`,
          { type: 'idempotency_error' },
        );
      }
      return { reply: known.reply, replayed: true };
    }
    const reply = run();
    this.#kept.set(key, { fingerprint, reply, at: now });
    return { reply, replayed: false };
  }
}
