import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { VoiceError } from '../errors.js';
import type { ListenedDelivery } from '../webhook-listener.js';

/** What a receiver over HTTP has, too. */
const TIMEOUT_MS = 10_000;

/** Returns the address behind `--forward-to`; `localhost:4000/hooks` means http. Throws a `VoiceError`. */
export function targetOf(text: string): URL {
  const url = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url)) {
    throw new VoiceError(`--forward-to: ${text} is no address such as http://localhost:4000/hooks.`);
  }
  return new URL(url);
}

/**
 * Posts a delivery with the very headers and body that it came with; resolves with the status of the answer.
 * Redirects are not followed, as in production. Rejects without an answer in time.
 */
export function forward(
  target: URL,
  { headers, body }: Pick<ListenedDelivery, 'headers' | 'body'>,
  timeoutMs = TIMEOUT_MS,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, {
      method: 'POST',
      headers,
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.once('response', (response) => {
      response.once('error', () => {});
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('error', (error: NodeJS.ErrnoException) =>
      reject(new VoiceError(failureOf(error, target, timeoutMs), { cause: error })),
    );
    request.end(body);
  });
}

function failureOf(error: NodeJS.ErrnoException, target: URL, timeoutMs: number): string {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') {
    return `no answer within ${timeoutMs / 1000} s`;
  }
  return error.code === 'ECONNREFUSED' ? `nothing listens at ${target.host}` : error.message;
}
