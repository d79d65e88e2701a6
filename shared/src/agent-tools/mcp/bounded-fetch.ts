import { boundedResponse } from '../../egress/bounded-response.js';
import type { ServiceError } from '../../errors/service-error.js';

/** The longest answer of a server, in bytes. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Wraps a `fetch` so that its answers end with an error when they are over `MAX_ANSWER_BYTES`, which `onTooLarge`
 * reports as well: a reader of events may swallow it. A stream of what the server has to say unasked is not opened.
 */
export function boundedFetch(send: typeof fetch, onTooLarge: (error: ServiceError) => void): typeof fetch {
  return async (input, init) => {
    // Only the rest of an answer is fetched by GET, from the event after the last one seen.
    if (init?.method === 'GET' && !new Headers(init.headers).has('last-event-id')) {
      return new Response(null, { status: 405 });
    }
    return boundedResponse(await send(input, init), MAX_ANSWER_BYTES, onTooLarge);
  };
}
