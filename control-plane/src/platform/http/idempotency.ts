import { createHash } from 'node:crypto';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import { type Connection, Schema } from 'mongoose';
import { z } from 'zod';
import type { SecretBox } from '../secrets/secret-box.js';
import { apiError } from './error-codes.js';
import { isDuplicateKey } from './errors.js';
import type { Principal } from './route.js';
import { ValidationError } from './validation.js';

/** How long an answer is kept and replayed. */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;
/** After this long without an answer, the holder is taken for dead and a retry may run. */
export const IDEMPOTENCY_LOCK_MS = 60_000;
/** How often a holder whose request takes its time says that it is alive, in ms. */
const KEEP_ALIVE_MS = 20_000;

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';
export const IDEMPOTENT_REPLAY_HEADER = 'X-Idempotent-Replay';

/** An answer as it went over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Row {
  /** Tenant, mode and key, hashed: the unique index of `_id` is what makes the claim atomic. */
  _id: string;
  fingerprint: string;
  /** Who runs the request now; changes when a lock is taken over. */
  holder: string;
  /** Until when the holder is believed alive. */
  locked_until: Date;
  /** Id for what the request creates; outlives the holder. */
  resource_id: string;
  /** Sealed JSON of the answer: in its body or its headers (a cookie) may be a credential that is shown once. */
  answer?: string | null;
  expires_at: Date;
}

const rowSchema = new Schema<Row>(
  {
    _id: String,
    fingerprint: { type: String, required: true },
    holder: { type: String, required: true },
    locked_until: { type: Date, required: true },
    resource_id: { type: String, required: true },
    answer: String,
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'idempotency_keys' },
);
rowSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** How a kept answer is laid out: one line of JSON, then the body as it is. */
const HEAD_END = Buffer.from('\n');
const answerHead = z.object({ status: z.number(), headers: z.record(z.string(), z.string()) });

/** The right to run a request. */
export interface RunClaim {
  readonly kind: 'run';
  readonly resourceId: string;
  readonly id: string;
  readonly holder: string;
}

/** The right to run a request, or the answer that it was given before. */
export type Claim = RunClaim | { readonly kind: 'replay'; readonly answer: WireAnswer };

/** Returns what makes two requests the same: method, path with query, and body; and the credential where it counts. */
export function requestFingerprint(
  method: string,
  pathWithQuery: string,
  body: Buffer | string,
  credential = '',
): string {
  return createHash('sha256')
    .update(`${method.toUpperCase()} ${pathWithQuery}\n${credential === '' ? '' : `${credential}\n`}`)
    .update(body)
    .digest('base64url');
}

/** Reads the header's key; 422 when it is no sensible text. */
export function idempotencyKeyFrom(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (/^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw new ValidationError([
    {
      loc: ['header', IDEMPOTENCY_KEY_HEADER],
      msg: '1 to 255 printable ASCII characters',
      type: 'string_pattern',
    },
  ]);
}

interface IdempotencyStoreOptions {
  readonly store: Connection;
  readonly clock: Clock;
  readonly secrets: SecretBox;
}

/** Runs a mutating request once for each key and tenant, over all replicas. */
export class IdempotencyStore {
  readonly #rows;
  readonly #options: IdempotencyStoreOptions;

  constructor(options: IdempotencyStoreOptions) {
    this.#rows = options.store.model<Row>('IdempotencyKey', rowSchema);
    this.#options = options;
  }

  /** Claims the key, or says what it stands for already. Throws 409 in flight, 422 for another request. */
  async claim(principal: Principal, key: string, fingerprint: string): Promise<Claim> {
    const id = createHash('sha256')
      .update(`${principal.tenant}\n${principal.sandbox ? 'sandbox' : 'production'}\n${key}`)
      .digest('base64url');
    const now = this.#options.clock.now();
    const fresh: Row = {
      _id: id,
      fingerprint,
      holder: newId(),
      locked_until: new Date(now + IDEMPOTENCY_LOCK_MS),
      resource_id: newId(),
      expires_at: new Date(now + IDEMPOTENCY_WINDOW_MS),
    };
    try {
      await this.#rows.insertOne(fresh);
      return { kind: 'run', resourceId: fresh.resource_id, id, holder: fresh.holder };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return this.#claimExisting(fresh, now);
    }
  }

  async #claimExisting(fresh: Row, now: number): Promise<Claim> {
    const row = await this.#rows.findOne({ _id: fresh._id }).lean().exec();
    if (!row) throw inFlight();
    if (row.expires_at.getTime() <= now) return this.#takeOver(row, fresh);
    if (row.fingerprint !== fresh.fingerprint) throw apiError('idempotency_key_reused');
    if (typeof row.answer === 'string') return { kind: 'replay', answer: this.#open(row._id, row.answer) };
    if (row.locked_until.getTime() > now) throw inFlight();
    return this.#takeOver(row, { ...fresh, resource_id: row.resource_id, expires_at: row.expires_at });
  }

  /** Only one of many takers sees the holder that it saw before. */
  async #takeOver(seen: Row, next: Row): Promise<Claim> {
    const { matchedCount } = await this.#rows
      .replaceOne({ _id: seen._id, holder: seen.holder, expires_at: seen.expires_at }, next)
      .exec();
    if (matchedCount === 0) throw inFlight();
    return { kind: 'run', resourceId: next.resource_id, id: next._id, holder: next.holder };
  }

  /** Keeps the answer for replays; a holder that was replaced meanwhile keeps nothing. */
  async complete(claim: RunClaim, answer: WireAnswer): Promise<void> {
    await this.#rows
      .updateOne({ _id: claim.id, holder: claim.holder }, { $set: { answer: this.#seal(claim.id, answer) } })
      .exec();
  }

  /** Keeps the key locked for a request that may run for longer than a lock lasts, until it is stopped. */
  keepAlive(claim: RunClaim, onError: (error: unknown) => void): { stop(): Promise<void> } {
    let renewing = Promise.resolve();
    let timer: Timer;
    const renew = () => {
      const locked_until = new Date(this.#options.clock.now() + IDEMPOTENCY_LOCK_MS);
      renewing = this.#rows
        .updateOne({ _id: claim.id, holder: claim.holder }, { $set: { locked_until } })
        .exec()
        .then(() => {}, onError);
      timer = this.#options.clock.schedule(KEEP_ALIVE_MS, renew);
    };
    timer = this.#options.clock.schedule(KEEP_ALIVE_MS, renew);
    return {
      stop() {
        timer.cancel();
        return renewing;
      },
    };
  }

  /**
   * Frees the key after a failure that a retry may heal. The row stays, unlocked, so that the retry
   * creates under the same resource id.
   */
  async release(claim: RunClaim): Promise<void> {
    await this.#rows
      .updateOne({ _id: claim.id, holder: claim.holder }, { $set: { locked_until: new Date(0) } })
      .exec();
  }

  #seal(id: string, { status, headers, body }: WireAnswer): string {
    const head = Buffer.from(JSON.stringify({ status, headers }));
    return this.#options.secrets.seal(`idempotency/${id}`, Buffer.concat([head, HEAD_END, body]));
  }

  #open(id: string, sealed: string): WireAnswer {
    const bytes = this.#options.secrets.openBytes(`idempotency/${id}`, sealed);
    // JSON has no line break of its own.
    const at = bytes.indexOf(HEAD_END);
    const head = answerHead.parse(JSON.parse(bytes.subarray(0, at).toString()));
    return { ...head, body: bytes.subarray(at + HEAD_END.length) };
  }
}

function inFlight() {
  return apiError('idempotency_in_flight', undefined, { retryable: true, retryAfterSeconds: 1 });
}
