import type { LookupFunction } from 'node:net';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import { type ClientOptions, type RawData, WebSocket } from 'ws';
import { ProviderError, type ProviderKind } from './provider-error.js';

/** Longest wait for a provider's WebSocket handshake, in ms. */
const HANDSHAKE_TIMEOUT_MS = 5000;
/** Longest wait for the peer's close frame after ours, in ms. */
const CLOSE_TIMEOUT_MS = 2000;
/** Longest wait for a sign of life that was asked for, in ms. */
const SIGN_OF_LIFE_MS = 2000;

/** The longest message of a provider, in bytes: its server may be a tenant's, and what is read is read at once. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Why a connection ended: refused in the handshake (`status`), by a close frame (`closeCode`), or torn. */
export interface ConnectionEnd {
  readonly opened: boolean;
  /** HTTP status of a refused handshake. */
  readonly status?: number;
  /** What a refused handshake asked for (`Retry-After`), in seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** WebSocket close code (RFC 6455, 7.4.1); 1006 when the connection was torn. */
  readonly closeCode?: number;
  readonly reason: string;
  /** Whether it could not even be asked for: no request can carry the key, or go to the address. */
  readonly isMalformed?: boolean;
  readonly cause?: unknown;
}

interface ProviderSocketEvents {
  onOpen(): void;
  onText(text: string): void;
  /** Binary frames; without it they are dropped. */
  onBinary?(bytes: Uint8Array): void;
  /** Called exactly once, as the last event. */
  onEnd(end: ConnectionEnd): void;
}

export interface ProviderSocketOptions {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly events: ProviderSocketEvents;
  /** Resolves the host's name; the egress guard's for an address that a tenant named. */
  readonly lookup?: LookupFunction;
  /** Whether binary frames carry text, too. */
  readonly binaryText?: boolean;
}

/** Reduces all the ways in which a client WebSocket ends to one event, and ends silently when we end it. */
export class ProviderSocket {
  readonly #options: ProviderSocketOptions;
  /** Undefined where there is nothing to connect: `onEnd` follows. */
  readonly #socket: WebSocket | undefined;
  #opened = false;
  #ended = false;
  #cause: unknown;
  #status: number | undefined;
  #retryAfterSeconds: number | undefined;
  #body = '';
  #awaited: Timer | undefined;

  constructor(options: ProviderSocketOptions) {
    this.#options = options;
    const { url, headers, events, lookup, binaryText = false } = options;
    // `closeTimeout` is documented by ws 8.23 and not yet in its type declarations.
    const clientOptions: ClientOptions & { closeTimeout: number } = {
      headers: { ...headers },
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      closeTimeout: CLOSE_TIMEOUT_MS,
      ...(lookup ? { lookup } : {}),
    };
    try {
      this.#socket = new WebSocket(url, clientOptions);
    } catch (error) {
      // Connections are opened in listeners and timers, too, where nobody catches: it would end the process.
      this.#cause = error;
      queueMicrotask(() => this.#end(1006, ''));
      return;
    }
    const socket = this.#socket;
    socket.on('open', () => {
      this.#opened = true;
      if (!this.#ended) events.onOpen();
    });
    socket.on('pong', () => this.#stopWaiting());
    socket.on('message', (data, isBinary) => {
      this.#stopWaiting();
      if (this.#ended) return;
      // What a message makes fail nobody else catches: it would end the process, with all its calls.
      try {
        if (!isBinary || binaryText) events.onText(textOf(data));
        else events.onBinary?.(bytesOf(data));
      } catch (error) {
        this.#cause = error;
        socket.terminate();
        this.#end(1006, 'a message could not be taken');
      }
    });
    socket.on('unexpected-response', (request, response) => {
      this.#status = response.statusCode;
      this.#retryAfterSeconds = retryAfterSeconds(response.headers['retry-after']);
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        if (this.#body.length < 2000) this.#body += part;
      });
      const done = () => {
        request.destroy();
        this.#end(1006, this.#body);
      };
      response.on('end', done);
      response.on('error', done);
    });
    socket.on('error', (error) => {
      this.#cause = error;
    });
    socket.on('close', (code, reason) => this.#end(code, reason.toString('utf8')));
  }

  get open(): boolean {
    return !this.#ended && this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Returns the bytes that were handed over and are not yet on their way. */
  get buffered(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  /**
   * Sends when open; otherwise drops.
   * @param onSent the data may be changed from then on; never called where it was dropped
   */
  send(data: string | Uint8Array, onSent?: () => void): void {
    if (this.open) this.#socket?.send(data, onSent);
  }

  /**
   * Asks the peer whether it is there, by a ping (RFC 6455, 5.5.2); without a word from it within two seconds the
   * connection has died unseen, and ends as torn.
   */
  probe(clock: Clock): void {
    if (!this.open || this.#awaited) return;
    this.#socket?.ping();
    this.#awaited = clock.schedule(SIGN_OF_LIFE_MS, () => {
      this.#socket?.terminate();
      this.#end(1006, 'the peer gives no sign of life');
    });
  }

  /** Says goodbye by a close frame, and waits a bounded time for the peer's; no event follows. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopWaiting();
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.close(1000);
    else this.#socket?.terminate();
  }

  /** Ends the connection at once; no event follows. */
  terminate(): void {
    this.#ended = true;
    this.#stopWaiting();
    this.#socket?.terminate();
  }

  #stopWaiting(): void {
    this.#awaited?.cancel();
    this.#awaited = undefined;
  }

  #end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopWaiting();
    this.#options.events.onEnd({
      opened: this.#opened,
      status: this.#status,
      retryAfterSeconds: this.#retryAfterSeconds,
      closeCode: code,
      reason,
      isMalformed: this.#socket === undefined,
      cause: this.#cause,
    });
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

function textOf(data: RawData): string {
  return bytesOf(data).toString('utf8');
}

/** Returns an http(s) or ws(s) base address as a WebSocket URL with the path appended. */
export function webSocketUrl(base: string, path: string): URL {
  const url = new URL(base.replace(/^http/, 'ws'));
  url.pathname = url.pathname.replace(/\/$/, '') + path;
  return url;
}

/** Reads `Retry-After` (RFC 9110, 10.2.3) in seconds; undefined without one, and for a date. */
export function retryAfterSeconds(header: string | null | undefined): number | undefined {
  return header && /^\d+(\.\d+)?$/.test(header) ? Number(header) : undefined;
}

/** Creates the typed error of a connection that ended when it should not have. */
export function connectionError(kind: ProviderKind, provider: string, end: ConnectionEnd): ProviderError {
  const { code, retryable } = classify(end);
  return new ProviderError({
    provider,
    kind,
    code,
    retryable,
    retryAfterSeconds: end.retryAfterSeconds,
    message: `${provider} ${end.opened ? 'closed the connection' : 'could not be reached'} (${detailOf(end)})`,
    cause: end.cause ?? (end.reason === '' ? undefined : new Error(end.reason)),
  });
}

function detailOf({ status, closeCode, isMalformed }: ConnectionEnd): string {
  if (isMalformed) return 'no request can carry its key, or go to its address';
  return status === undefined ? `closed with ${closeCode ?? 1006}` : `HTTP ${status}`;
}

function classify({ status, closeCode, opened, isMalformed }: ConnectionEnd): {
  code: string;
  retryable: boolean;
} {
  if (isMalformed) return { code: 'bad_request', retryable: false };
  if (status !== undefined) return classifyStatus(status);
  if (closeCode === 1008) return { code: 'bad_request', retryable: false };
  return opened ? { code: 'disconnected', retryable: true } : { code: 'unavailable', retryable: true };
}

/** Classifies what an HTTP status of a provider means for the caller, by RFC 9110 and the vendors' common use. */
export function classifyStatus(status: number): { code: string; retryable: boolean } {
  if (status === 401 || status === 402 || status === 403) return { code: 'unauthorized', retryable: false };
  if (status === 429) return { code: 'rate_limited', retryable: true };
  if (status === 408) return { code: 'timed_out', retryable: true };
  if (status >= 400 && status < 500) return { code: 'bad_request', retryable: false };
  return { code: 'unavailable', retryable: true };
}

/** Creates the error of an adapter that was given no key where the vendor wants one. */
export function missingKey(kind: ProviderKind, provider: string): ProviderError {
  return new ProviderError({
    provider,
    kind,
    code: 'unauthorized',
    message: `no API key for ${provider} is configured`,
    retryable: false,
  });
}
