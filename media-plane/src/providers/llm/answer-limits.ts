/** The longest streamed answer that is read, in bytes: some ten thousand words, and a caller hears a few hundred. */
export const LONGEST_ANSWER_BYTES = 4 * 1024 * 1024;
/** What of a refusal is read, in bytes. */
const LONGEST_REFUSAL_BYTES = 64 * 1024;

/** Yields an answer as it comes. Throws `tooLong()` once it is longer than any answer: its server may be a tenant's. */
export async function* limitedAnswer(
  body: AsyncIterable<Uint8Array>,
  tooLong: () => Error,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > LONGEST_ANSWER_BYTES) throw tooLong();
    yield part;
  }
}

/** Reads the beginning of a refusal as text, and leaves the rest. Empty for one that breaks off. */
export async function refusalText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= LONGEST_REFUSAL_BYTES) break;
    }
  } catch {
    return '';
  }
  return Buffer.concat(parts).toString('utf8');
}
