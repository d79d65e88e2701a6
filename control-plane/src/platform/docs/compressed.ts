import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** A text as it is sent, by content coding. */
export type Compressed = Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>;

/**
 * The highest quality takes 14 times as long (0.4 s for the API's description, for which the first client would wait)
 * for 8 % fewer bytes.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Compresses a text once, for all who ask. */
export async function compressed(text: string): Promise<Compressed> {
  const identity = Buffer.from(text);
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, BROTLI),
    promisify(gzip)(identity),
  ]);
  return { br, gzip: zipped, identity };
}

/**
 * Sends it in the smallest coding that the client takes (RFC 9110, section 12.5.3); as it is where it takes none.
 * The answer's type is set by the caller.
 */
export function sendCompressed(request: Request, response: Response, text: Compressed): void {
  const coding = request.acceptsEncodings('br', 'gzip', 'identity');
  response.vary('Accept-Encoding');
  if (coding === 'br' || coding === 'gzip') response.set('Content-Encoding', coding).send(text[coding]);
  else response.send(text.identity);
}
