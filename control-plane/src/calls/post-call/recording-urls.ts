import type { Clock } from '@voice/shared/clock/clock';
import type { SecretsKeys } from '../../platform/secrets/secrets-keys.js';
import { SigningKeys } from '../../platform/secrets/signing-keys.js';
import type { ObjectStorage } from './object-storage.js';

/** How long an address of a recording is good for, in ms. */
export const RECORDING_URL_LIFE_MS = 15 * 60_000;

interface RecordingUrlsOptions {
  readonly secretsKeys: SecretsKeys;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly storage: ObjectStorage;
}

/** Signs and verifies short-lived addresses of recordings that this service serves itself. */
export class RecordingUrls {
  readonly #keys: SigningKeys;
  readonly #options: RecordingUrlsOptions;

  constructor(options: RecordingUrlsOptions) {
    this.#options = options;
    this.#keys = new SigningKeys(options.secretsKeys, 'recording addresses');
  }

  /** Returns the storage's own address where it has one, else one of this service. Null when the file is gone. */
  async address(callId: string, key: string): Promise<{ url: string; expiresAt: Date } | null> {
    const source = await this.#options.storage.source(key, RECORDING_URL_LIFE_MS);
    if (source?.kind !== 'address') return source && this.sign(callId);
    return { url: source.url, expiresAt: new Date(this.#options.clock.now() + RECORDING_URL_LIFE_MS) };
  }

  /** Returns an address of this service; it leads on to the storage's own where there is one. */
  sign(callId: string): { url: string; expiresAt: Date } {
    const expiresAt = new Date(this.#options.clock.now() + RECORDING_URL_LIFE_MS);
    const expires = expiresAt.getTime();
    const signature = this.#keys.sign(signedText(callId, expires)).toString('hex');
    return {
      url: `${this.#options.publicUrl()}/recordings/${callId}.mp3?expires=${expires}&signature=${signature}`,
      expiresAt,
    };
  }

  /** `expires` in epoch ms. */
  verify(callId: string, expires: number, signature: string): boolean {
    if (expires < this.#options.clock.now() || !/^[0-9a-f]{64}$/.test(signature)) return false;
    return this.#keys.verify(Buffer.from(signature, 'hex'), signedText(callId, expires));
  }
}

const signedText = (callId: string, expires: number) => `${callId}\n${expires}`;
