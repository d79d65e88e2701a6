import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** A text as it is sent, by content coding. */
export type Compressed = Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>;

/** Compresses a text once, for all who ask. */
export async function compressed(text: string): Promise<Compressed> {
  const identity = Buffer.from(text);
  const [br, zipped] = await Promise.all([promisify(brotliCompress)(identity), promisify(gzip)(identity)]);
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
