import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ApiError,
  apiErrorOf,
  ConnectionFailedError,
  jsonOf,
  RequestTimeoutError,
  VoiceError,
} from './errors.js';

export interface ClientOptions {
  /** `sk_test_…` works in the sandbox, `sk_live_…` in production. By default VOICE_API_KEY. */
  readonly apiKey?: string;
  /** Where the service is. By default VOICE_API_URL, else http://localhost:8080. */
  readonly baseUrl?: string;
  /** How long one try may take (ms). By default 30,000. */
  readonly timeoutMs?: number;
  /** How often a request that failed for a while is sent again. By default 2. */
  readonly maxRetries?: number;
  /** In place of the runtime's own, for proxies and tests. */
  readonly fetch?: typeof fetch;
}

export interface RequestOptions {
  /** Ends the request, and all tries that would come. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
  /** Of a request that changes something; without it each has one of its own, the same for all of its tries. */
  readonly idempotencyKey?: string;
}

export interface HttpRequest extends RequestOptions {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What waiting is done by; tests have their own. */
export interface Pauses {
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** A number from 0 to 1, so that many clients do not come back at one moment. */
  random(): number;
  /** Ms since some moment. */
  now(): number;
}

const realPauses: Pauses = {
  wait: async (ms, signal) => {
    await delay(ms, undefined, { signal });
  },
  random: Math.random,
  now: () => performance.now(),
};

/** How long one try may take (ms), and the handshake of a WebSocket. */
export const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 2;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** A service that asks for more patience than this gets its error to the caller. */
const LONGEST_RETRY_AFTER_MS = 60_000;
const RETRIED = new Set([408, 429, 500, 502, 503, 504]);
const ANOTHER_IS_UNDER_WAY = 'idempotency_in_flight';

/** Sends requests: with the key, in time, and again where another try may succeed. */
export class Transport {
  readonly #apiKey: string;
  readonly #baseUrl: string;
  readonly #options: ClientOptions;
  readonly pauses: Pauses;

  constructor(options: ClientOptions, pauses: Pauses = realPauses) {
    const apiKey = options.apiKey;
    if (!apiKey) {
      throw new VoiceError(
        'There is no API key: give apiKey, or set VOICE_API_KEY (`npm run key` makes one).',
      );
    }
    this.#apiKey = apiKey;
    this.#baseUrl = baseUrlOf(options.baseUrl ?? 'http://localhost:8080');
    this.#options = options;
    this.pauses = pauses;
  }

  /** Returns the answer's JSON; nothing where it is empty. Throws a `VoiceError`. */
  async json(verb: string, path: string, request: HttpRequest = {}): Promise<unknown> {
    return this.#retried(verb, path, request, async (response) => {
      const text = await response.text();
      return text === '' ? undefined : jsonOf(text);
    });
  }

  /** Returns the answer's bytes. */
  async bytes(verb: string, path: string, request: HttpRequest = {}): Promise<Uint8Array> {
    return this.#retried(
      verb,
      path,
      request,
      async (response) => new Uint8Array(await response.arrayBuffer()),
    );
  }

  /** Returns an answer whose body goes on: the time-out holds until it begins. */
  async stream(verb: string, path: string, request: HttpRequest = {}): Promise<Response> {
    return this.#retried(verb, path, request, async (response) => response);
  }

  /** How long one try may take (ms), where a request says nothing of it. */
  get timeoutMs(): number {
    return this.#options.timeoutMs ?? TIMEOUT_MS;
  }

  /** Returns where a WebSocket is opened, and with which headers. */
  socketAddress(path: string, query?: Readonly<Record<string, unknown>>) {
    const url = this.#baseUrl.replace(/^http/, 'ws') + path + queryText(query);
    return { url, headers: { authorization: `Bearer ${this.#apiKey}` } };
  }

  async #retried<Result>(
    verb: string,
    path: string,
    request: HttpRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const retries = request.maxRetries ?? this.#options.maxRetries ?? MAX_RETRIES;
    const headers = this.#headers(verb, request);
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(verb, path, request, headers, read);
      } catch (error) {
        const pause = attempt < retries ? pauseBefore(error, attempt, this.pauses.random()) : undefined;
        if (pause === undefined || request.signal?.aborted) throw error;
        await this.pauses.wait(pause, request.signal);
      }
    }
  }

  async #once<Result>(
    verb: string,
    path: string,
    request: HttpRequest,
    headers: Headers,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const timeoutMs = request.timeoutMs ?? this.timeoutMs;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const signals = request.signal ? [timeout.signal, request.signal] : [timeout.signal];
    try {
      const response = await (this.#options.fetch ?? fetch)(this.#baseUrl + path + queryText(request.query), {
        method: verb,
        headers,
        body: bodyOf(request.body),
        signal: AbortSignal.any(signals),
      });
      if (!response.ok) throw apiErrorOf(response.status, response.headers, await response.text());
      return await read(response);
    } catch (error) {
      if (error instanceof VoiceError || request.signal?.aborted) throw error;
      if (timeout.signal.aborted) {
        throw new RequestTimeoutError(`${verb} ${path}: no answer within ${timeoutMs} ms.`, { cause: error });
      }
      throw new ConnectionFailedError(`${verb} ${path}: ${this.#baseUrl} cannot be reached.`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  #headers(verb: string, request: HttpRequest): Headers {
    const headers = new Headers({
      authorization: `Bearer ${this.#apiKey}`,
      accept: 'application/json',
      ...request.headers,
    });
    if (request.body !== undefined && !(request.body instanceof FormData)) {
      headers.set('content-type', 'application/json');
    }
    // The same for all tries: what a lost answer had already done is not done twice.
    if (verb !== 'GET') headers.set('idempotency-key', request.idempotencyKey ?? randomUUID());
    return headers;
  }
}

/** Returns the address that paths are put behind. Throws a `VoiceError` for what is none. */
function baseUrlOf(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new VoiceError(`'${text}' is no address of the service, such as https://voice.example.`);
  }
  // `npm start` prints the API's address with the path that is in every request.
  return text.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

interface PauseBounds {
  readonly firstMs?: number;
  readonly longestRetryAfterMs?: number;
}

/** How long to wait before the next try (ms); nothing when another try would end the same way. */
export function pauseBefore(
  error: unknown,
  attempt: number,
  random: number,
  { firstMs = FIRST_PAUSE_MS, longestRetryAfterMs = LONGEST_RETRY_AFTER_MS }: PauseBounds = {},
): number | undefined {
  const backoff = Math.min(LONGEST_PAUSE_MS, firstMs * 2 ** attempt) * (0.5 + random / 2);
  if (error instanceof ConnectionFailedError || error instanceof RequestTimeoutError) return backoff;
  if (!(error instanceof ApiError)) return undefined;
  if (!RETRIED.has(error.status) && error.code !== ANOTHER_IS_UNDER_WAY) return undefined;
  if (error.retryAfterMs === undefined) return backoff;
  return error.retryAfterMs > longestRetryAfterMs ? undefined : Math.max(backoff, error.retryAfterMs);
}

function bodyOf(body: unknown): FormData | string | undefined {
  if (body === undefined || body instanceof FormData) return body;
  return JSON.stringify(body);
}

function queryText(query: Readonly<Record<string, unknown>> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}
