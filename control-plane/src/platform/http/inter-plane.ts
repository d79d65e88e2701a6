import { createHash } from 'node:crypto';
import { pipeline, Transform } from 'node:stream';
import type { Clock } from '@voice/shared/clock/clock';
import { InterPlaneVerifier, isSignedBody, isSignedHash } from '@voice/shared/inter-plane/request-verifier';
import { INTER_PLANE_TOKEN_LIFE_MS, type InterPlaneToken } from '@voice/shared/inter-plane/token';
import type { Request } from 'express';
import { type Connection, type Model, Schema } from 'mongoose';
import { apiError } from './error-codes.js';
import { isDuplicateKey } from './errors.js';
import type { Route } from './route.js';
import { isMutating } from './route-traits.js';

const REPEATED = 'This request was taken already. Sign each attempt anew.';
const OTHER_BODY = 'The body is not the one that was signed.';

interface NonceRow {
  _id: string;
  expires_at: Date;
}

const nonceSchema = new Schema<NonceRow>(
  { _id: { type: String, required: true }, expires_at: { type: Date, required: true } },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'inter_plane_nonces' },
);
nonceSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

interface InterPlaneRequestsOptions {
  readonly store: Connection;
  readonly clock: Clock;
  readonly secret: string;
}

/**
 * Who may ask for what is between the planes: signed for this very request and body, in time, once. Each replica
 * remembers what it has taken; what must not happen twice in the whole installation is noted in the store as well.
 */
export class InterPlaneRequests {
  readonly #verifier: InterPlaneVerifier;
  readonly #nonces: Model<NonceRow>;

  constructor({ store, clock, secret }: InterPlaneRequestsOptions) {
    this.#verifier = new InterPlaneVerifier({ secret, clock });
    this.#nonces = store.model<NonceRow>('InterPlaneNonce', nonceSchema);
  }

  /** Reads the request's token; 401 unless it was signed for this method and path, and in time. */
  read(request: Request): InterPlaneToken {
    const authorization = request.get('authorization');
    if (authorization === undefined) throw apiError('missing_credentials');
    const token = this.#verifier.read({ method: request.method, path: request.originalUrl, authorization });
    if (!token) throw apiError('invalid_signature');
    return token;
  }

  /** Takes a request once, with the body that was signed; a streamed body is judged as it is read. Throws 401. */
  async take(
    token: InterPlaneToken,
    { method, bodyType, repeatsHarmlessly }: Pick<Route, 'method' | 'bodyType' | 'repeatsHarmlessly'>,
    body: Buffer,
  ): Promise<void> {
    if (bodyType !== 'stream' && !isSignedBody(token, body)) throw apiError('invalid_signature', OTHER_BODY);
    if (!this.#verifier.take(token)) throw apiError('invalid_signature', REPEATED);
    if (!isMutating(method) || repeatsHarmlessly) return;
    try {
      const expires_at = new Date(token.issuedAt + 2 * INTER_PLANE_TOKEN_LIFE_MS);
      await this.#nonces.insertOne({ _id: token.nonce, expires_at });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      throw apiError('invalid_signature', REPEATED, { cause: error });
    }
  }
}

/**
 * Returns the body as it comes. Fails at its end, before it is stored completely, when it is not the one that was
 * signed.
 */
export function signedStream(token: InterPlaneToken, request: Request): Transform {
  const hash = createHash('sha256');
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      done(isSignedHash(token, hash.digest('hex')) ? null : apiError('invalid_signature', OTHER_BODY));
    },
  });
  // A sender that breaks off must not leave the reader waiting; what went wrong is the reader's to see.
  return pipeline(request, checked, () => {});
}
