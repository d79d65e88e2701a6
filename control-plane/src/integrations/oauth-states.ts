import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import type { Connection } from 'mongoose';
import type { SecretBox } from '../secrets/secret-box.js';
import { oauthStateModel } from './model.js';

/** For how long a person may think about the vendor's consent page, in ms. */
export const OAUTH_STATE_LIFE_MS = 10 * 60_000;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

interface OAuthStatesDeps {
  readonly store: Connection;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly secretsKey: string;
}

/**
 * The `state` of OAuth flows (RFC 6749, 10.12): signed, so that a made-up one costs no query; good for one
 * tenant, one integration, the browser that began, once, for ten minutes.
 */
export class OAuthStates {
  readonly #states;
  readonly #clock: Clock;
  readonly #secrets: SecretBox;
  readonly #key: Buffer;

  constructor({ store, clock, secrets, secretsKey }: OAuthStatesDeps) {
    this.#states = oauthStateModel(store);
    this.#clock = clock;
    this.#secrets = secrets;
    this.#key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'oauth states', 32));
  }

  /** `browser` goes into a cookie, `challenge` (S256) and `state` to the vendor. */
  async begin(
    tenant: TenantId,
    slug: string,
  ): Promise<{ state: string; browser: string; challenge: string; expiresAt: Date }> {
    const [nonce, browser, verifier] = [random(), random(), random()];
    const expiresAt = new Date(this.#clock.now() + OAUTH_STATE_LIFE_MS);
    const _id = hashOf(nonce);
    await this.#states.insertOne({
      _id,
      tenant_id: tenant,
      slug,
      browser: hashOf(browser),
      verifier: this.#secrets.seal(`oauth-states/${_id}`, verifier),
      expires_at: expiresAt,
    });
    const signed = `${nonce}.${expiresAt.getTime()}`;
    return {
      state: `${signed}.${this.#mac(slug, signed).toString('base64url')}`,
      browser,
      challenge: createHash('sha256').update(verifier).digest('base64url'),
      expiresAt,
    };
  }

  /** Who began, from this browser; null when nobody did, it was too long ago, or it was redeemed before. */
  async redeem(
    slug: string,
    state: string,
    browser: string | undefined,
  ): Promise<{ tenant: TenantId; verifier: string } | null> {
    const [, nonce, expiresAt, mac] = /^([\w-]{43})\.(\d{1,16})\.([\w-]{43})$/.exec(state) ?? [];
    if (nonce === undefined || expiresAt === undefined || mac === undefined || browser === undefined) {
      return null;
    }
    const expected = this.#mac(slug, `${nonce}.${expiresAt}`);
    if (!timingSafeEqual(Buffer.from(mac, 'base64url'), expected)) return null;
    const row = await this.#states
      .findOneAndDelete({
        _id: hashOf(nonce),
        slug,
        browser: hashOf(browser),
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

  #mac(slug: string, signed: string): Buffer {
    return createHmac('sha256', this.#key).update(`${slug}\n${signed}`).digest();
  }
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
