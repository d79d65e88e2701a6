/** How deep and how large JSON may be before anything is made of it. */
export interface JsonShapeLimits {
  /** Objects and arrays within each other. */
  readonly depth: number;
  /** Members of objects and items of arrays, all together. */
  readonly values: number;
}

/** Which limit was exceeded, and how many bytes had to be read to find it. */
export interface JsonExcess {
  readonly limit: 'depth' | 'values';
  readonly bytesRead: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Looks over JSON text (UTF-8) without parsing it and stops at the first limit that it exceeds; null within the
 * limits. What is no JSON may pass: the parser finds that out. A mebibyte takes a millisecond or two, where
 * parsing and validating 90,000 members take a hundred.
 */
export function jsonExcess(
  json: Uint8Array,
  { depth: deepest, values: most }: JsonShapeLimits,
): JsonExcess | null {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < json.length; i++) {
    switch (json[i]) {
      case QUOTE:
        i = endOfString(json, i);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (++depth > deepest) return { limit: 'depth', bytesRead: i + 1 };
        if (++values > most) return { limit: 'values', bytesRead: i + 1 };
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--;
        break;
      case COMMA:
        if (++values > most) return { limit: 'values', bytesRead: i + 1 };
        break;
    }
  }
  return null;
}

/** Returns where the string that begins at `start` ends; the end of the text where it does not. */
function endOfString(json: Uint8Array, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    if (json[i] === BACKSLASH) i++;
    else if (json[i] === QUOTE) return i;
  }
  return json.length;
}
