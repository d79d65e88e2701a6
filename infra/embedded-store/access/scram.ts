import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

const HASH = 'sha256';
const KEY_BYTES = 32;
const SALT_BYTES = 28;
const NONCE_BYTES = 24;
/** MongoDB's own default for SCRAM-SHA-256. */
const ITERATIONS = 15_000;
/** The client may not bind a channel: there is no TLS on loopback. Base64 of `n,,`. */
const NO_CHANNEL_BINDING = 'c=biws';

const hmac = (key: Buffer, text: string): Buffer => createHmac(HASH, key).update(text).digest();

/** What a server keeps of a password: enough to recognise it, not to sign in by it (RFC 5802, section 3). */
export class ScramCredential {
  readonly salt = randomBytes(SALT_BYTES);
  readonly iterations = ITERATIONS;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;

  constructor(
    readonly user: string,
    password: string,
  ) {
    const salted = pbkdf2Sync(password, this.salt, this.iterations, KEY_BYTES, HASH);
    this.storedKey = createHash(HASH).update(hmac(salted, 'Client Key')).digest();
    this.serverKey = hmac(salted, 'Server Key');
  }
}

/** One sign-in by SCRAM-SHA-256 (RFC 7677), the server's side. */
export class ScramExchange {
  readonly #credential: ScramCredential;
  #signed = '';
  #nonce = '';

  constructor(credential: ScramCredential) {
    this.#credential = credential;
  }

  /** Answers the client's first message; undefined for what is none of this user's. */
  first(message: string): string | undefined {
    const [, bare, user, clientNonce] = /^n,,(n=([^,]+),r=([\x21-\x2b\x2d-\x7e]+))$/.exec(message) ?? [];
    if (bare === undefined || clientNonce === undefined || user !== this.#credential.user) return undefined;
    this.#nonce = clientNonce + randomBytes(NONCE_BYTES).toString('base64');
    const { salt, iterations } = this.#credential;
    const answer = `r=${this.#nonce},s=${salt.toString('base64')},i=${iterations}`;
    this.#signed = `${bare},${answer}`;
    return answer;
  }

  /** Answers the client's proof with the server's own; undefined where the password is not the right one. */
  final(message: string): string | undefined {
    const at = message.lastIndexOf(',p=');
    if (at < 0 || message.slice(0, at) !== `${NO_CHANNEL_BINDING},r=${this.#nonce}`) return undefined;
    const signed = `${this.#signed},${message.slice(0, at)}`;
    const proof = Buffer.from(message.slice(at + ',p='.length), 'base64');
    const { storedKey, serverKey } = this.#credential;
    const signature = hmac(storedKey, signed);
    if (proof.length !== signature.length) return undefined;
    const clientKey = Buffer.from(proof.map((byte, i) => byte ^ signature[i]!));
    if (!timingSafeEqual(createHash(HASH).update(clientKey).digest(), storedKey)) return undefined;
    return `v=${hmac(serverKey, signed).toString('base64')}`;
  }
}
