import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock/clock.js';
import { NonceMemory } from './nonces.js';
import { bodyHashOf, type InterPlaneToken, readInterPlaneToken } from './token.js';

export interface InterPlaneVerifierOptions {
  readonly secret: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Shared by all that this process serves to the other plane. */
  readonly nonces?: NonceMemory;
}

export interface ReceivedHead {
  readonly method: string;
  /** Path with query, as received. */
  readonly path: string;
  readonly authorization: string | undefined;
}

/**
 * Judges requests of the other plane: signed for this very request, in time, with this body, and for the first time.
 */
export class InterPlaneVerifier {
  readonly #secret: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #nonces: NonceMemory;

  constructor({ secret, clock, nonces }: InterPlaneVerifierOptions) {
    this.#secret = secret;
    this.#clock = clock;
    this.#nonces = nonces ?? new NonceMemory({ clock });
  }

  /**
   * Returns the token, if it was signed for this method and path and has not expired; body and nonce are still to be
   * judged.
   */
  read({ method, path, authorization }: ReceivedHead): InterPlaneToken | undefined {
    return readInterPlaneToken(authorization, {
      secret: this.#secret,
      method,
      path,
      now: this.#clock.now(),
    });
  }

  /** Takes the token's nonce; returns whether no request has had it before. */
  take(token: InterPlaneToken): boolean {
    return this.#nonces.take(token);
  }

  /** Checks all at once, for a request whose body is there; its nonce is taken only when everything else is right. */
  accepts(head: ReceivedHead, body: string | Uint8Array | undefined): boolean {
    const token = this.read(head);
    return token !== undefined && isSignedBody(token, body) && this.take(token);
  }
}

/** Returns whether the token was made for this body. Constant time. */
export function isSignedBody(token: InterPlaneToken, body: string | Uint8Array | undefined): boolean {
  return isSignedHash(token, bodyHashOf(body));
}

/** Returns whether the token was made for a body with this hex SHA-256. Constant time. */
export function isSignedHash(token: InterPlaneToken, bodyHash: string): boolean {
  return timingSafeEqual(Buffer.from(token.bodyHash, 'hex'), Buffer.from(bodyHash, 'hex'));
}
