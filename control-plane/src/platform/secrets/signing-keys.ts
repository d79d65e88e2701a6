import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKeys, type SecretsKeys } from './secrets-keys.js';

/** Signs by the current key and recognises what an earlier one signed, so that a new key invalidates nothing. */
export class SigningKeys {
  readonly #keys: readonly [Buffer, ...Buffer[]];

  constructor(keys: SecretsKeys, purpose: string) {
    this.#keys = deriveKeys(keys, purpose);
  }

  /** HMAC-SHA256 of the parts, one after the other. */
  sign(...parts: readonly (string | Buffer)[]): Buffer {
    return macOf(this.#keys[0], parts);
  }

  /** Returns whether one of the keys signed the parts; `mac` may be the beginning of a signature. Constant time. */
  verify(mac: Buffer, ...parts: readonly (string | Buffer)[]): boolean {
    return this.#keys.some((key) => {
      const right = macOf(key, parts).subarray(0, mac.length);
      return mac.length > 0 && right.length === mac.length && timingSafeEqual(mac, right);
    });
  }
}

function macOf(key: Buffer, parts: readonly (string | Buffer)[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}
