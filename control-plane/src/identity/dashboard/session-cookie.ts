import type { SecretsKeys } from '../../platform/secrets/secrets-keys.js';
import { SigningKeys } from '../../platform/secrets/signing-keys.js';

/** What the cookie says: which session, and until when. */
export interface SessionClaim {
  readonly id: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** `<id>.<expiry>.<HMAC-SHA256>`, so that a made-up session costs no query. */
export class SessionCookies {
  readonly #keys: SigningKeys;

  constructor(keys: SecretsKeys) {
    this.#keys = new SigningKeys(keys, 'dashboard sessions');
  }

  sign({ id, expiresAt }: SessionClaim): string {
    const text = `${id}.${expiresAt}`;
    return `${text}.${this.#keys.sign(text).toString('base64url')}`;
  }

  /** Null for everything that `sign` did not make. */
  verify(value: string): SessionClaim | null {
    const parts = /^([0-9a-f-]{36})\.(\d{1,16})\.([A-Za-z0-9_-]{43})$/.exec(value);
    if (!parts) return null;
    const [, id, expiresAt, mac] = parts;
    const given = Buffer.from(mac!, 'base64url');
    if (!this.#keys.verify(given, `${id}.${expiresAt}`)) return null;
    return { id: id!, expiresAt: Number(expiresAt) };
  }
}

/** Returns the value of one cookie in a Cookie header (RFC 6265, section 4.2.1). */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
