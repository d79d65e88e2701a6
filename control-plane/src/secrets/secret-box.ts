import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts credentials at rest: AES-256-GCM (NIST SP 800-38D) with a fresh 96-bit nonce each time.
 * `purpose` is authenticated beside the text, so that a sealed value copied to another place (another
 * tenant, another field) does not open there.
 */
export class SecretBox {
  readonly #key: Buffer;

  constructor(secretsKey: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'secrets at rest', 32));
  }

  seal(purpose: string, text: string | Buffer): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return `${VERSION}.${sealed.toString('base64url')}`;
  }

  /** Throws when the text was changed, sealed for another purpose, or under another key. */
  openBytes(purpose: string, sealed: string): Buffer {
    const [version, body] = sealed.split('.');
    const bytes = Buffer.from(body ?? '', 'base64url');
    if (version !== VERSION || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('not a sealed secret');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  }

  open(purpose: string, sealed: string): string {
    return this.openBytes(purpose, sealed).toString('utf8');
  }
}
