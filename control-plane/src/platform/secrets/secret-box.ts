import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKeys, keyIdOf, type SecretsKeys } from './secrets-keys.js';

const VERSION = 'v2';
/** Sealed before keys had ids: any of the keys may be the right one. */
const VERSION_WITHOUT_KEY_ID = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^(?:v2\.([0-9a-f]{8})|v1)\.([\w-]{38,})$/;

/** What a secret was sealed under: a key's id, or null where the text does not say. */
export interface SealedUnder {
  readonly keyId: string | null;
}

/**
 * Encrypts credentials at rest: AES-256-GCM (NIST SP 800-38D) with a fresh 96-bit nonce each time.
 * `purpose` is authenticated beside the text, so that a sealed value copied to another place (another
 * tenant, another field) does not open there. The text names its key: `v2.<key id>.<nonce, text and tag>`.
 */
export class SecretBox {
  /** Names the key that seals from now on. */
  readonly keyId: string;
  readonly #current: Buffer;
  readonly #keys: ReadonlyMap<string, Buffer>;

  constructor(keys: SecretsKeys) {
    const texts = typeof keys === 'string' ? [keys] : keys;
    const derived = deriveKeys(keys, 'secrets at rest');
    this.#current = derived[0];
    this.#keys = new Map(texts.map((text, i) => [keyIdOf(text), derived[i]!] as const).reverse());
    this.keyId = keyIdOf(texts[0]!);
  }

  /** Ids of all keys that can open something. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** Begins everything that was sealed under the current key, and nothing else. */
  get currentPrefix(): string {
    return `${VERSION}.${this.keyId}.`;
  }

  seal(purpose: string, text: string | Buffer): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#current, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return this.currentPrefix + sealed.toString('base64url');
  }

  /** Throws when the text was changed, sealed for another purpose, or under a key that is not among ours. */
  openBytes(purpose: string, sealed: string): Buffer {
    const under = sealedUnder(sealed);
    const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf('.') + 1), 'base64url');
    if (!under || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('not a sealed secret');
    if (under.keyId !== null) {
      const key = this.#keys.get(under.keyId);
      if (!key) {
        throw new Error(
          `sealed under the key ${under.keyId}, which is neither SECRETS_KEY nor in SECRETS_KEYS_OLD`,
        );
      }
      return decrypt(key, purpose, bytes);
    }
    const opened = [...this.#keys.values()].flatMap((key) => {
      try {
        return [decrypt(key, purpose, bytes)];
      } catch {
        return [];
      }
    });
    if (!opened[0]) throw new Error('sealed under another key, for another purpose, or changed');
    return opened[0];
  }

  open(purpose: string, sealed: string): string {
    return this.openBytes(purpose, sealed).toString('utf8');
  }
}

/** Undefined for what is no sealed secret. */
export function sealedUnder(text: string): SealedUnder | undefined {
  const match = SEALED.exec(text);
  if (!match) return undefined;
  return { keyId: text.startsWith(`${VERSION_WITHOUT_KEY_ID}.`) ? null : match[1]! };
}

function decrypt(key: Buffer, purpose: string, bytes: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
