import { createHash, randomBytes } from 'node:crypto';

const KEY = /^sk_(live|test)_[A-Za-z0-9_-]{32}$/;

/** As many characters as are shown of a key afterwards: the mode and four of the random ones. */
const SHOWN_CHARACTERS = 'sk_live_'.length + 4;

export interface GeneratedKey {
  readonly plaintext: string;
  readonly prefix: string;
  readonly hash: string;
}

/** `sk_live_` or `sk_test_` and 32 URL-safe characters (192 random bits). */
export function generateKey(sandbox: boolean): GeneratedKey {
  const plaintext = `sk_${sandbox ? 'test' : 'live'}_${randomBytes(24).toString('base64url')}`;
  return { plaintext, prefix: plaintext.slice(0, SHOWN_CHARACTERS), hash: hashKey(plaintext) };
}

/** A plain SHA-256 is enough for 192 random bits: there is nothing to guess by dictionary. */
export function hashKey(plaintext: string): string {
  return createHash('sha256').update(plaintext).digest('hex');
}

/** Returns the mode that a key selects by its prefix; null when it is no key at all. */
export function modeOfKey(credential: string): { readonly sandbox: boolean } | null {
  const match = KEY.exec(credential);
  return match ? { sandbox: match[1] === 'test' } : null;
}
