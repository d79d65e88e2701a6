import type { Clock } from '@voice/shared/clock/clock';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { apiError } from '../../platform/http/error-codes.js';
import { ROLES, type Role } from '../../platform/http/roles.js';
import type { Member } from '../users/members.js';

/** The identity provider whose sessions are believed. */
interface IdentityProvider {
  /** Where its public keys are (RFC 7517). */
  readonly jwksUrl: string;
  readonly issuer: string;
  /** Undefined: tokens of the issuer are believed whatever their audience. */
  readonly audience?: string;
  /** The claim that names a person's role; undefined: roles are kept here alone. */
  readonly roleClaim?: string;
}

/** Asymmetric ones alone: a public key must never pass for a shared secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;

/** Three base64url parts, the first of them a JSON object. */
export function looksLikeJwt(credential: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(credential);
}

/** Returns the role that the identity provider gives; undefined where it gives none that there is. Pure. */
function roleOfClaim(claims: Readonly<Record<string, unknown>>, name: string | undefined): Role | undefined {
  return name === undefined ? undefined : ROLES.find((role) => role === claims[name]);
}

interface IdentityTokensOptions {
  readonly provider: IdentityProvider;
  readonly userOf: (person: string) => Promise<Member | null>;
  readonly clock: Clock;
}

/** Sessions of the identity provider: signed tokens (RFC 7519) whose `sub` is a person with a tenant. */
export class IdentityTokens {
  readonly #keys: JWTVerifyGetKey;
  readonly #options: IdentityTokensOptions;

  constructor(options: IdentityTokensOptions) {
    this.#options = options;
    this.#keys = createRemoteJWKSet(new URL(options.provider.jwksUrl), { timeoutDuration: 3000 });
  }

  /** Finds what a person may do whose token was shown before; null for who is known no more. */
  async recall(person: string): Promise<(Pick<Member, 'tenant'> & { readonly role?: Role }) | null> {
    const user = await this.#options.userOf(person);
    if (user === null) return null;
    // A role that tokens name is that of the token that was shown.
    const { tenant, role } = user;
    return this.#options.provider.roleClaim === undefined ? { tenant, role } : { tenant };
  }

  /**
   * Reads whose token it is. `namedRole` is the role that the token itself names, if it does. Throws 401
   * `session_expired` or `invalid_session`, 503 when the provider's keys cannot be had.
   */
  async read(token: string): Promise<Member & { readonly person: string; readonly namedRole: Role | null }> {
    const { sub: person, ...claims } = await this.#claimsOf(token);
    const user = await this.#options.userOf(person);
    if (user === null) {
      throw apiError('invalid_session', 'Nobody of this service is signed in by this session.');
    }
    const namedRole = roleOfClaim(claims, this.#options.provider.roleClaim) ?? null;
    return { ...user, person, role: namedRole ?? user.role, namedRole };
  }

  async #claimsOf(token: string): Promise<JWTPayload & { readonly sub: string }> {
    const { issuer, audience } = this.#options.provider;
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(this.#options.clock.now()),
        requiredClaims: ['sub', 'exp'],
        ...(audience === undefined ? {} : { audience }),
      });
      const { sub } = payload;
      if (sub === undefined || sub === '') throw apiError('invalid_session');
      return { ...payload, sub };
    } catch (cause) {
      if (cause instanceof errors.JWTExpired) throw apiError('session_expired', undefined, { cause });
      if (cause instanceof errors.JWKSTimeout || !(cause instanceof errors.JOSEError)) {
        throw apiError('identity_provider_unavailable', undefined, { cause, retryable: true });
      }
      throw apiError('invalid_session', undefined, { cause });
    }
  }
}
