/** Base64 of RFC 4648, section 4, between byte arrays: no string and no new memory on the way. */

export const NOT_BASE64 = -1;
const PADDING = 0x3d;
/** Marks bytes that are no digit; no six bits have it. */
const NO_DIGIT = 0x80;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const VALUES = new Uint8Array(256).fill(NO_DIGIT);
for (let value = 0; value < DIGITS.length; value++) VALUES[DIGITS.charCodeAt(value)] = value;

/**
 * Decodes the base64 at `from` up to `to` into the beginning of `out`. Returns how many bytes it is; `NOT_BASE64` where
 * anything else is among it, its padding is missing, or it is more than `out` holds.
 */
export function decodeBase64(text: Uint8Array, from: number, to: number, out: Uint8Array): number {
  const length = to - from;
  if (length % 4 !== 0) return NOT_BASE64;
  if (length === 0) return 0;
  const padding = text[to - 1] !== PADDING ? 0 : text[to - 2] !== PADDING ? 1 : 2;
  const bytes = (length / 4) * 3 - padding;
  if (bytes > out.length) return NOT_BASE64;
  const wholeEnd = padding === 0 ? to : to - 4;
  let seen = 0;
  let at = from;
  let put = 0;
  for (; at < wholeEnd; at += 4, put += 3) {
    const a = VALUES[text[at]!]!;
    const b = VALUES[text[at + 1]!]!;
    const c = VALUES[text[at + 2]!]!;
    const d = VALUES[text[at + 3]!]!;
    seen |= a | b | c | d;
    out[put] = (a << 2) | (b >> 4);
    out[put + 1] = (b << 4) | (c >> 2);
    out[put + 2] = (c << 6) | d;
  }
  if (padding > 0) {
    const a = VALUES[text[at]!]!;
    const b = VALUES[text[at + 1]!]!;
    const c = padding === 1 ? VALUES[text[at + 2]!]! : 0;
    seen |= a | b | c;
    out[put] = (a << 2) | (b >> 4);
    if (padding === 1) out[put + 1] = (b << 4) | (c >> 2);
  }
  return (seen & NO_DIGIT) === 0 ? bytes : NOT_BASE64;
}
