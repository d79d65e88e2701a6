import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';

/** How long an address of a recording is good for, in ms. */
export const RECORDING_URL_LIFE_MS = 15 * 60_000;

/** Signs and verifies short-lived addresses of recordings that this service serves itself. */
export class RecordingUrls {
  readonly #key: Buffer;
  readonly #publicUrl: () => string;
  readonly #clock: Clock;

  constructor(options: { secretsKey: string; publicUrl: () => string; clock: Clock }) {
    this.#key = Buffer.from(hkdfSync('sha256', options.secretsKey, '', 'recording addresses', 32));
    this.#publicUrl = options.publicUrl;
    this.#clock = options.clock;
  }

  sign(callId: string): { url: string; expiresAt: Date } {
    const expiresAt = new Date(this.#clock.now() + RECORDING_URL_LIFE_MS);
    const expires = expiresAt.getTime();
    const signature = this.#mac(callId, expires).toString('hex');
    return {
      url: `${this.#publicUrl()}/recordings/${callId}.mp3?expires=${expires}&signature=${signature}`,
      expiresAt,
    };
  }

  /** `expires` in epoch ms. */
  verify(callId: string, expires: number, signature: string): boolean {
    if (expires < this.#clock.now() || !/^[0-9a-f]{64}$/.test(signature)) return false;
    return timingSafeEqual(Buffer.from(signature, 'hex'), this.#mac(callId, expires));
  }

  #mac(callId: string, expires: number): Buffer {
    return createHmac('sha256', this.#key).update(`${callId}\n${expires}`).digest();
  }
}
