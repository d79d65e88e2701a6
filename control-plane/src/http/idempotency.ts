import { createHash } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import { newId } from '@voice/shared/ids/ids';
import { type Connection, Schema } from 'mongoose';
import type { SecretBox } from '../secrets/secret-box.js';
import { apiError } from './error-codes.js';
import { isDuplicateKey } from './errors.js';
import type { Principal } from './route.js';
import { ValidationError } from './validation.js';

/** How long an answer is kept and replayed. */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;
/** After this long without an answer, the holder is taken for dead and a retry may run. */
export const IDEMPOTENCY_LOCK_MS = 60_000;

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
  status?: number | null;
  headers?: string | null;
  /** Sealed: an answer may hold a credential that is shown once. */
  body?: string | null;
  expires_at: Date;
}

const rowSchema = new Schema<Row>(
  {
    _id: String,
    fingerprint: { type: String, required: true },
    holder: { type: String, required: true },
    locked_until: { type: Date, required: true },
    resource_id: { type: String, required: true },
    status: Number,
    headers: String,
    body: String,
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'idempotency_keys' },
);
rowSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** The right to run a request, or the answer that it was given before. */
export type Claim =
  | { readonly kind: 'run'; readonly resourceId: string; readonly id: string; readonly holder: string }
  | { readonly kind: 'replay'; readonly answer: WireAnswer };

/** What makes two requests the same: method, path with query, and body. */
export function requestFingerprint(method: string, pathWithQuery: string, body: Buffer): string {
  return createHash('sha256')
    .update(`${method.toUpperCase()} ${pathWithQuery}\n`)
    .update(body)
    .digest('base64url');
}

/** The header's key; 422 when it is no sensible text. */
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

/** Runs a mutating request once for each key and tenant, over all replicas. */
export class IdempotencyStore {
  readonly #rows;
  readonly #clock: Clock;
  readonly #secrets: SecretBox;

  constructor(store: Connection, clock: Clock, secrets: SecretBox) {
    this.#rows = store.model<Row>('IdempotencyKey', rowSchema);
    this.#clock = clock;
    this.#secrets = secrets;
  }

  /** Claims the key, or says what it stands for already. Throws 409 in flight, 422 for another request. */
  async claim(principal: Principal, key: string, fingerprint: string): Promise<Claim> {
    const id = createHash('sha256')
      .update(`${principal.tenant}\n${principal.sandbox ? 'sandbox' : 'production'}\n${key}`)
      .digest('base64url');
    const now = this.#clock.now();
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
    if (typeof row.status === 'number') return { kind: 'replay', answer: this.#answer(row, row.status) };
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
  async complete(claim: Claim & { kind: 'run' }, answer: WireAnswer): Promise<void> {
    await this.#rows
      .updateOne(
        { _id: claim.id, holder: claim.holder },
        {
          $set: {
            status: answer.status,
            headers: JSON.stringify(answer.headers),
            body: this.#secrets.seal(`idempotency/${claim.id}`, answer.body),
          },
        },
      )
      .exec();
  }

  /**
   * Frees the key after a failure that a retry may heal. The row stays, unlocked, so that the retry
   * creates under the same resource id.
   */
  async release(claim: Claim & { kind: 'run' }): Promise<void> {
    await this.#rows
      .updateOne({ _id: claim.id, holder: claim.holder }, { $set: { locked_until: new Date(0) } })
      .exec();
  }

  #answer(row: Row, status: number): WireAnswer {
    return {
      status,
      headers: JSON.parse(row.headers ?? '{}') as Record<string, string>,
      body: this.#secrets.openBytes(`idempotency/${row._id}`, row.body ?? ''),
    };
  }
}

function inFlight() {
  return apiError('idempotency_in_flight', undefined, { retryable: true, retryAfterSeconds: 1 });
}
