import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** How long a call's token is good for, in ms: longer than the longest call. */
const TOKEN_LIFE_MS = 5 * 60 * 60 * 1000;

/** Tokens by which a call's worker uses the language model proxy, for this call alone. */
export class CallTokens {
  readonly #key: Buffer;

  constructor(secretsKey: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'language model proxy', 32));
  }

  /** `now` in epoch ms. */
  issue(callId: string, now: number): string {
    const expiresAt = now + TOKEN_LIFE_MS;
    return `call.${callId}.${expiresAt}.${this.#mac(callId, expiresAt).toString('hex')}`;
  }

  /** The call that the token is for; undefined when it is not ours or has expired. Constant time. */
  verify(token: string, now: number): string | undefined {
    const [, callId, expires, mac] = /^call\.([0-9a-f-]{36})\.(\d{10,16})\.([0-9a-f]{64})$/.exec(token) ?? [];
    if (!callId || !expires || !mac) return undefined;
    const expiresAt = Number(expires);
    if (!timingSafeEqual(Buffer.from(mac, 'hex'), this.#mac(callId, expiresAt))) return undefined;
    return expiresAt >= now ? callId : undefined;
  }

  #mac(callId: string, expiresAt: number): Buffer {
    return createHmac('sha256', this.#key).update(`${callId}\n${expiresAt}`).digest();
  }
}
