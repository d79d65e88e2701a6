import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import type { AddressPolicy } from './address-policy.js';
import { brokenAnswer, guardedLookup, parseUrl, refuseUpgrade } from './guarded-request.js';

/** Statuses that have no body (Fetch standard, "null body status"). */
const NO_BODY: readonly number[] = [101, 204, 205, 304];

/** How long an unused connection is kept, in ms: less than servers keep theirs (Node's 5 s are among the shortest). */
const KEPT_MS = 4000;

/**
 * Connections that a conversation with one server uses again. Each goes to the address that was checked when it
 * was opened; a name that moves meanwhile is followed no sooner than the next conversation.
 */
export class KeptConnections {
  readonly #http = new HttpAgent({ keepAlive: true, timeout: KEPT_MS });
  readonly #https = new HttpsAgent({ keepAlive: true, timeout: KEPT_MS });

  agentFor(protocol: string): HttpAgent {
    return protocol === 'https:' ? this.#https : this.#http;
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

/**
 * Creates a `fetch` for SDKs that are pointed at a tenant's URL: the guard's rules of `guardedRequest` (address checked
 * and pinned, no redirects), the answer as a stream. Time and size are limited by the caller.
 * @param kept without it, every request opens a connection of its own
 */
export function guardedFetch(policy: AddressPolicy, kept?: KeptConnections): typeof fetch {
  return async (input, init) => {
    const asked = new Request(input as string | URL | Request, init);
    const url = parseUrl(asked.url, policy);
    const body = Buffer.from(await asked.arrayBuffer());
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise<Response>((resolve, reject) => {
      const request = send(
        url,
        {
          method: asked.method,
          headers: { ...Object.fromEntries(asked.headers), 'content-length': String(body.length) },
          lookup: guardedLookup(policy),
          agent: kept?.agentFor(url.protocol) ?? false,
          signal: asked.signal,
        },
        (response) => {
          // What throws here, nobody catches: it would end the process, with all its calls.
          try {
            resolve(answerOf(response));
          } catch (cause) {
            response.destroy();
            reject(brokenAnswer(cause));
          }
        },
      );
      request.on('error', reject);
      refuseUpgrade(request, reject);
      request.end(body);
    });
  };
}

/** Returns the answer with its body as a stream. Throws for what Fetch knows no answer of, such as a status of 999. */
function answerOf(response: IncomingMessage): Response {
  const status = response.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const init = { status, statusText: response.statusMessage, headers };
  if (NO_BODY.includes(status)) {
    const answer = new Response(null, init);
    response.resume();
    return answer;
  }
  const stream = Readable.toWeb(response) as unknown as ReadableStream<Uint8Array>;
  return new Response(stream, init);
}
