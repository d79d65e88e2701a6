import type { Clock } from '@voice/shared/clock/clock';
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { apiError } from '../../platform/http/error-codes.js';
import type { User } from '../users/service.js';

/** The identity provider whose sessions are believed. */
export interface IdentityProvider {
  /** Where its public keys are (RFC 7517). */
  readonly jwksUrl: string;
  readonly issuer: string;
  /** Undefined: tokens of the issuer are believed whatever their audience. */
  readonly audience?: string;
}

/** Asymmetric ones alone: a public key must never pass for a shared secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;

/** Three base64url parts, the first of them a JSON object. */
export function looksLikeJwt(credential: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(credential);
}

/** Sessions of the identity provider: signed tokens (RFC 7519) whose `sub` is a person with a tenant. */
export class IdentityTokens {
  readonly #keys: JWTVerifyGetKey;
  readonly #provider: IdentityProvider;
  readonly #userOf: (person: string) => Promise<User | null>;
  readonly #clock: Clock;

  constructor(options: {
    readonly provider: IdentityProvider;
    readonly userOf: (person: string) => Promise<User | null>;
    readonly clock: Clock;
  }) {
    this.#provider = options.provider;
    this.#keys = createRemoteJWKSet(new URL(options.provider.jwksUrl), { timeoutDuration: 3000 });
    this.#userOf = options.userOf;
    this.#clock = options.clock;
  }

  /** Throws 401 `session_expired` or `invalid_session`, 503 when the provider's keys cannot be had. */
  async read(token: string): Promise<User & { readonly person: string }> {
    const person = await this.#subjectOf(token);
    const user = await this.#userOf(person);
    if (user === null) {
      throw apiError('invalid_session', 'Nobody of this service is signed in by this session.');
    }
    return { person, ...user };
  }

  async #subjectOf(token: string): Promise<string> {
    const { issuer, audience } = this.#provider;
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(this.#clock.now()),
        requiredClaims: ['sub', 'exp'],
        ...(audience === undefined ? {} : { audience }),
      });
      if (payload.sub === undefined || payload.sub === '') throw apiError('invalid_session');
      return payload.sub;
    } catch (cause) {
      if (cause instanceof errors.JWTExpired) throw apiError('session_expired', undefined, { cause });
      if (cause instanceof errors.JWKSTimeout || !(cause instanceof errors.JOSEError)) {
        throw apiError('identity_provider_unavailable', undefined, { cause, retryable: true });
      }
      throw apiError('invalid_session', undefined, { cause });
    }
  }
}
