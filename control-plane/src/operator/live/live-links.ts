import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import { apiError } from '../../platform/http/error-codes.js';
import type { Principal } from '../../platform/http/route.js';
import { linkOf } from '../../platform/http/route-traits.js';
import type { SecretsKeys } from '../../platform/secrets/secrets-keys.js';
import { SigningKeys } from '../../platform/secrets/signing-keys.js';
import type { TenantScope } from '../../platform/store/tenant-scope.js';

/** How long a link can be opened, in ms. A stream that was opened by then goes on while its maker is let in. */
export const LIVE_LINK_LIFE_MS = 5 * 60_000;

/** Which tenant a link lets in, by which credential, to which call, and until when it can be opened (epoch ms). */
const claims = z.tuple([z.string(), z.boolean(), z.string(), z.number(), z.string()]);

export interface LiveLinksOptions {
  readonly secretsKeys: SecretsKeys;
  readonly clock: Clock;
}

/**
 * Signs and reads links to one live call: for browsers, whose EventSource and WebSocket cannot send an
 * `Authorization` header. A link is good for its call, tenant and mode alone, and for nothing but following it.
 */
export class LiveLinks {
  readonly #keys: SigningKeys;
  readonly #clock: Clock;

  constructor({ secretsKeys, clock }: LiveLinksOptions) {
    this.#keys = new SigningKeys(secretsKeys, 'links to live calls');
    this.#clock = clock;
  }

  /** `keyId`: of the credential that asks for it, with which it ends. */
  sign(
    { tenant, sandbox }: TenantScope,
    callId: string,
    keyId: Principal['keyId'],
  ): { readonly token: string; readonly expiresAt: Date } {
    const expiresAt = this.#clock.now() + LIVE_LINK_LIFE_MS;
    const payload = Buffer.from(JSON.stringify([tenant, sandbox, callId, expiresAt, keyId])).toString(
      'base64url',
    );
    const token = `${payload}.${this.#keys.sign(payload).toString('base64url')}`;
    return { token, expiresAt: new Date(expiresAt) };
  }

  /** Throws 401 `live_link_invalid` for a token that is malformed, expired, or made for another call. */
  principal(token: string, callId: string): Principal {
    const [, payload, given] = /^([\w-]{1,1000})\.([\w-]{43})$/.exec(token) ?? [];
    if (payload === undefined || given === undefined) throw apiError('live_link_invalid');
    if (!this.#keys.verify(Buffer.from(given, 'base64url'), payload)) throw apiError('live_link_invalid');
    const read = claims.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
    // One that a replica of the version before has signed.
    if (!read.success) throw apiError('live_link_invalid');
    const [tenant, sandbox, signedFor, expiresAt, keyId] = read.data;
    if (signedFor !== callId.toLowerCase() || expiresAt < this.#clock.now()) {
      throw apiError('live_link_invalid');
    }
    return { tenant: asTenantId(tenant), sandbox, keyId: linkOf(keyId), userId: null, actor: null };
  }
}
