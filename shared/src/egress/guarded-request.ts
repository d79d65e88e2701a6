import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { hasTimedOut, withJoinedSignal } from '../abort/with-joined-signal.js';
import { ServiceError } from '../errors/service-error.js';
import type { AddressPolicy } from './address-policy.js';
import { TenantNames } from './tenant-names.js';
import { unreachableMessage } from './unreachable.js';

export interface GuardedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** From the first byte out to the last byte in, in ms. */
  readonly timeoutMs: number;
  /** A longer answer is an error, or cut; in bytes. */
  readonly maxResponseBytes: number;
  /** Default `refuse`. `cut`: what was read so far is the body, for those who only want the status. */
  readonly longAnswer?: 'refuse' | 'cut';
  readonly policy: AddressPolicy;
  readonly signal?: AbortSignal;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Requests a URL that a tenant gave. Only http and https; the address that the name resolves to is checked
 * and is the one connected to (so a name cannot change its mind in between); redirects are not followed.
 * Throws `ServiceError` with `egress_url_refused`, `egress_address_refused`, `egress_timed_out`,
 * `egress_response_too_large` or `egress_failed`.
 */
export function guardedRequest(options: GuardedRequest): Promise<GuardedResponse> {
  const url = parseUrl(options.url, options.policy);
  const ends = { signals: [options.signal], timeoutMs: options.timeoutMs };
  return withJoinedSignal(ends, (signal) =>
    exchange(url, options, signal).catch((error: unknown) => {
      throw toServiceError(error, hasTimedOut(signal));
    }),
  );
}

function exchange(url: URL, options: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise<GuardedResponse>((resolve, reject) => {
    const request = send(
      url,
      {
        method: options.method,
        headers: options.headers,
        lookup: guardedLookup(options.policy),
        // A kept connection would skip the check of a name that has moved.
        agent: false,
        signal,
      },
      (response) => {
        readBody(response, options.maxResponseBytes, options.longAnswer ?? 'refuse').then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          reject,
        );
      },
    );
    request.on('error', reject);
    refuseUpgrade(request, reject);
    request.end(options.body);
  });
}

/**
 * Rejects an answer of 101, which nobody asked for. Without a listener Node closes the connection, and neither the
 * answer nor an error ever comes: not even the time-out would end the wait.
 */
export function refuseUpgrade(request: ClientRequest, reject: (error: Error) => void): void {
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    reject(brokenAnswer());
  });
}

/** Returns the error of an answer that breaks the rules of HTTP, under a code as Node's parser gives its own. */
export function brokenAnswer(cause?: unknown): Error {
  return Object.assign(new Error('The answer is no HTTP.', { cause }), { code: 'HPE_INVALID_ANSWER' });
}

/** Parses a URL that may be stored: the same rules, as far as they can be checked without resolving. */
export function parseUrl(text: string, policy: AddressPolicy): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw refused('This is not a URL.', cause);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refused('Only http and https URLs are allowed.');
  if (url.username !== '' || url.password !== '') throw refused('Credentials in the URL are not allowed.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !policy.allows(host)) throw addressRefused();
  return url;
}

/** Of the whole process: what keeps tenants' names from holding up all others is counted in one place. */
const tenantNames = new TenantNames();

/** Creates a resolver of names that tenants gave: all their addresses are checked before one is connected to. */
export function guardedLookup(
  policy: AddressPolicy,
  names: Pick<TenantNames, 'resolve'> = tenantNames,
): LookupFunction {
  return (hostname, { all, family }, callback) => {
    names.resolve(hostname).then(
      (addresses) => {
        // One private address among public ones is the sign of a rebinding name: refused as a whole.
        if (!addresses.every(({ address }) => policy.allows(address))) {
          callback(addressRefused() as NodeJS.ErrnoException, '', 0);
          return;
        }
        const wanted = addresses.filter((one) => !family || family === one.family);
        const [first] = wanted;
        if (!first) callback(noAddress(hostname), '', 0);
        else if (all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function noAddress(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}

async function readBody(
  response: IncomingMessage,
  maxBytes: number,
  longAnswer: 'refuse' | 'cut',
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) {
        response.destroy();
        if (longAnswer === 'cut') return Buffer.concat([...chunks, chunk], maxBytes);
        throw new ServiceError({
          code: 'egress_response_too_large',
          status: 502,
          message: `The answer is over ${maxBytes} bytes.`,
        });
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw toServiceError(error, false);
  }
  return Buffer.concat(chunks);
}

function toServiceError(error: unknown, timedOut: boolean): ServiceError {
  if (error instanceof ServiceError) return error;
  if (timedOut) {
    return new ServiceError({
      code: 'egress_timed_out',
      status: 504,
      message: 'The server did not answer in time.',
      retryable: true,
      cause: error,
    });
  }
  return new ServiceError({
    code: 'egress_failed',
    status: 502,
    message: unreachableMessage(error),
    retryable: true,
    cause: error,
  });
}

function refused(message: string, cause?: unknown): ServiceError {
  return new ServiceError({ code: 'egress_url_refused', status: 422, message, cause });
}

function addressRefused(): ServiceError {
  return new ServiceError({
    code: 'egress_address_refused',
    status: 422,
    message: 'The URL leads to an address that is not allowed (a private or reserved network).',
  });
}
