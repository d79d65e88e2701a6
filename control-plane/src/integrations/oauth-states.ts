import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import type { SecretsKeys } from '../platform/secrets/secrets-keys.js';
import { SigningKeys } from '../platform/secrets/signing-keys.js';
import { oauthStateModel } from './model.js';

/** For how long a person may think about the vendor's consent page, in ms. */
export const OAUTH_STATE_LIFE_MS = 10 * 60_000;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** `browser`: a session of the dashboard, whose browser keeps a cookie; `server`: a program of the tenant's. */
export type OAuthBeginner = 'browser' | 'server';

interface OAuthStatesOptions {
  readonly store: Connection;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly secretsKeys: SecretsKeys;
}

/**
 * The `state` of OAuth flows (RFC 6749, 10.12): signed, so that a made-up one costs no query; good for one
 * tenant and one integration, once, for ten minutes. One that was begun in the dashboard is good in that browser
 * alone: a cookie comes back with it. A tenant's server has no browser; it gives the address to whom it trusts.
 */
export class OAuthStates {
  readonly #states;
  readonly #clock: Clock;
  readonly #secrets: SecretBox;
  readonly #keys: SigningKeys;

  constructor({ store, clock, secrets, secretsKeys }: OAuthStatesOptions) {
    this.#states = oauthStateModel(store);
    this.#clock = clock;
    this.#secrets = secrets;
    this.#keys = new SigningKeys(secretsKeys, 'oauth states');
  }

  /**
   * `browser`, for what is begun in one, goes into a cookie; null otherwise. `challenge` (S256) and `state` go to the
   * vendor.
   */
  async begin(
    tenant: TenantId,
    slug: string,
    by: OAuthBeginner,
  ): Promise<{ state: string; browser: string | null; challenge: string; expiresAt: Date }> {
    const [nonce, verifier] = [random(), random()];
    const browser = by === 'browser' ? random() : null;
    const expiresAt = new Date(this.#clock.now() + OAUTH_STATE_LIFE_MS);
    const _id = hashOf(nonce);
    await this.#states.insertOne({
      _id,
      tenant_id: tenant,
      slug,
      browser: browser === null ? null : hashOf(browser),
      verifier: this.#secrets.seal(`oauth-states/${_id}`, verifier),
      expires_at: expiresAt,
    });
    const signed = `${nonce}.${expiresAt.getTime()}`;
    return {
      state: `${signed}.${this.#keys.sign(signedText(slug, signed)).toString('base64url')}`,
      browser,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      expiresAt,
    };
  }

  /**
   * Returns who began, from this browser where it was one; null when nobody did, it was too long ago, or redeemed
   * before.
   */
  async redeem(
    slug: string,
    state: string,
    browser: string | undefined,
  ): Promise<{ tenant: TenantId; verifier: string } | null> {
    const [, nonce, expiresAt, mac] = /^([\w-]{43})\.(\d{1,16})\.([\w-]{43})$/.exec(state) ?? [];
    if (nonce === undefined || expiresAt === undefined || mac === undefined) {
      return null;
    }
    const signed = signedText(slug, `${nonce}.${expiresAt}`);
    if (!this.#keys.verify(Buffer.from(mac, 'base64url'), signed)) return null;
    const row = await this.#states
      .findOneAndDelete({
        _id: hashOf(nonce),
        slug,
        // In MongoDB null is also what is not there.
        browser: browser === undefined ? null : { $in: [null, hashOf(browser)] },
        expires_at: { $gt: new Date(this.#clock.now()) },
      })
      .lean()
      .exec();
    if (!row) return null;
    return {
      tenant: asTenantId(row.tenant_id),
      verifier: this.#secrets.open(`oauth-states/${row._id}`, row.verifier),
    };
  }
}

const signedText = (slug: string, signed: string) => `${slug}\n${signed}`;

function random(): string {
  return randomBytes(32).toString('base64url');
}
