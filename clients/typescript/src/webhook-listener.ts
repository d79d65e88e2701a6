import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ApiError, apiErrorOf, ConnectionFailedError, NotFoundError, VoiceError } from './errors.js';
import { readMessages } from './socket-messages.js';
import type { Transport } from './transport.js';

/** The service pings every 10 s; a connection without a ping for this long is lost. */
const SILENCE_MS = 35_000;
const RECONNECT_MS = 1000;
/** How long a connection that is closed may take to take it (ms). */
const CLOSE_WITHIN_MS = 1000;
/** Somebody else has the place of this connection, or too much waited: another try would end the same way. */
const FINAL_CODES = new Set([1008, 1013]);
const MOST_DETAIL = 500;

export interface WebhookListenOptions {
  /** By default all. */
  readonly eventTypes?: readonly string[];
  /** Ends it. */
  readonly signal?: AbortSignal;
  readonly reconnectMs?: number;
}

/** What comes to a listener. */
export type ListenerMessage =
  /** Deliveries are signed with `secret` from now on. */
  | { readonly type: 'ready'; readonly secret: string; readonly eventTypes: readonly string[] }
  | ListenedDelivery;

/** A delivery, as a receiver over HTTP gets it: `verifyWebhook` takes it. */
export interface ListenedDelivery {
  readonly type: 'delivery';
  readonly eventId: string;
  readonly eventType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As it was signed: JSON. */
  readonly body: string;
  /** Says within 15 s what your receiver answered, or why it did not. */
  readonly answer: (result: number | Error) => void;
}

interface Ready {
  readonly type: 'ready';
  readonly listener_id: string;
  readonly secret: string;
  readonly event_types: readonly string[];
}

interface Delivery {
  readonly type: 'delivery';
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Messages of one connection, until it ends. */
interface Connection extends AsyncIterable<Ready | Delivery> {
  readonly socket: WebSocket;
  readonly closing: () => { readonly code: number; readonly reason: string };
}

/**
 * Receives events over a connection in place of a URL, until `signal` aborts. Comes back by itself where the
 * connection breaks, with the same secret and what was missed; after half a minute without one, with another secret.
 */
export async function* listenToWebhooks(
  transport: Transport,
  options: WebhookListenOptions = {},
): AsyncGenerator<ListenerMessage, void, void> {
  const { eventTypes, signal, reconnectMs = RECONNECT_MS } = options;
  let ready: Ready | undefined;
  while (!signal?.aborted) {
    const query = { event_types: eventTypes?.join(','), listener_id: ready?.listener_id || undefined };
    const address = transport.socketAddress('/api/v1/webhooks/listen', query);
    let connection: Connection;
    try {
      connection = await connect(address, signal);
    } catch (error) {
      if (signal?.aborted) return;
      if (ready && error instanceof NotFoundError) {
        ready = { ...ready, listener_id: '' };
        continue;
      }
      const pause = ready ? pauseAfter(error, reconnectMs) : undefined;
      if (pause === undefined) throw error;
      await delay(pause, undefined, { signal }).catch(() => {});
      continue;
    }
    try {
      for await (const message of connection) {
        if (message.type === 'delivery') yield listened(message, connection.socket);
        else {
          if (message.secret !== ready?.secret) {
            yield { type: 'ready', secret: message.secret, eventTypes: message.event_types };
          }
          ready = message;
        }
      }
    } finally {
      leave(connection.socket);
    }
    if (signal?.aborted) return;
    const { code, reason } = connection.closing();
    if (FINAL_CODES.has(code)) throw new VoiceError(`Listening was ended with ${code}: ${reason}.`);
    await delay(reconnectMs, undefined, { signal }).catch(() => {});
  }
}

/** How long to wait before a listener that was connected tries again (ms); nothing where it cannot help. */
function pauseAfter(error: unknown, reconnectMs: number): number | undefined {
  if (!(error instanceof ApiError)) return reconnectMs;
  return error.status === 429 || error.status >= 500 ? (error.retryAfterMs ?? reconnectMs) : undefined;
}

function listened(delivery: Delivery, socket: WebSocket): ListenedDelivery {
  const { id, event_id: eventId, event_type: eventType, headers, body } = delivery;
  const answer = (result: number | Error) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const outcome =
      typeof result === 'number' ? { status: result } : { error: result.message.slice(0, MOST_DETAIL) };
    socket.send(JSON.stringify({ type: 'result', id, ...outcome }));
  };
  return { type: 'delivery', eventId, eventType, headers, body, answer };
}

function leave(socket: WebSocket): void {
  socket.close(1000);
  setTimeout(() => socket.terminate(), CLOSE_WITHIN_MS).unref();
}

function connect(
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  signal: AbortSignal | undefined,
): Promise<Connection> {
  const socket = new WebSocket(url, { headers });
  const waiting: (Ready | Delivery)[] = [];
  let closing: { code: number; reason: string } | undefined;
  let wake = () => {};
  const silence = setTimeout(() => socket.terminate(), SILENCE_MS);
  // What it has not said by then it says over the next connection.
  const end = () => {
    closing ??= { code: 1000, reason: '' };
    wake();
  };
  signal?.addEventListener('abort', end, { once: true });
  socket.on('ping', () => silence.refresh());
  readMessages<Ready | Delivery>(socket, {
    message(message) {
      // The service has 32 of them under way at most.
      if (message.type === 'ready' || message.type === 'delivery') waiting.push(message);
      wake();
    },
  });
  socket.on('close', (code, reason) => {
    clearTimeout(silence);
    signal?.removeEventListener('abort', end);
    closing ??= { code, reason: reason.toString() };
    wake();
  });
  return new Promise((resolve, reject) => {
    socket.on('error', (error) =>
      reject(new ConnectionFailedError(`${url} cannot be reached: ${error.message}`, { cause: error })),
    );
    socket.on('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        clearTimeout(silence);
        const named = new Headers();
        for (const [name, value] of Object.entries(response.headers)) named.set(name, String(value));
        reject(apiErrorOf(response.statusCode ?? 0, named, Buffer.concat(chunks).toString('utf8')));
      });
    });
    socket.on('open', () =>
      resolve({
        socket,
        closing: () => closing ?? { code: 1006, reason: '' },
        async *[Symbol.asyncIterator]() {
          for (;;) {
            const next = waiting.shift();
            if (closing && signal?.aborted) return;
            if (next) yield next;
            else if (closing) return;
            else {
              await new Promise<void>((resolveWake) => {
                wake = resolveWake;
              });
            }
          }
        },
      }),
    );
  });
}
