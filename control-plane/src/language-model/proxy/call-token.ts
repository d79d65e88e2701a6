import type { SecretsKeys } from '../../platform/secrets/secrets-keys.js';
import { SigningKeys } from '../../platform/secrets/signing-keys.js';

/** How long a call's token is good for, in ms: longer than the longest call. */
const TOKEN_LIFE_MS = 5 * 60 * 60 * 1000;

/** Tokens by which a call's worker uses the language model proxy, for this call alone. */
export class CallTokens {
  readonly #keys: SigningKeys;

  constructor(keys: SecretsKeys) {
    this.#keys = new SigningKeys(keys, 'language model proxy');
  }

  /** `now` in epoch ms. */
  issue(callId: string, now: number): string {
    const expiresAt = now + TOKEN_LIFE_MS;
    return `call.${callId}.${expiresAt}.${this.#keys.sign(signedText(callId, expiresAt)).toString('hex')}`;
  }

  /** Returns the call that the token is for; undefined when it is not ours or has expired. Constant time. */
  verify(token: string, now: number): string | undefined {
    const [, callId, expires, mac] = /^call\.([0-9a-f-]{36})\.(\d{10,16})\.([0-9a-f]{64})$/.exec(token) ?? [];
    if (!callId || !expires || !mac) return undefined;
    const expiresAt = Number(expires);
    if (!this.#keys.verify(Buffer.from(mac, 'hex'), signedText(callId, expiresAt))) return undefined;
    return expiresAt >= now ? callId : undefined;
  }
}

const signedText = (callId: string, expiresAt: number) => `${callId}\n${expiresAt}`;
